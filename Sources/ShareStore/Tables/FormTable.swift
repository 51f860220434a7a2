import ShareCore

/// A form as it lies in the file: a table, and a column for each field.
struct FormTable {
    struct Column: Hashable {
        let field: FormField
        let name: String
        /// Whole numbers that lie in it too, as what they are, from other versions of the form.
        let whole: FormField?

        /// Its type in a STRICT table.
        var type: String { whole == nil ? field.type.sql : "ANY" }

        /// The field that a value in it is of.
        func field(of value: FieldValue) -> FormField {
            if let whole, case .integer = value { whole } else { field }
        }
    }

    let number: Int64
    let formID: String
    /// Not quoted.
    let table: String
    /// Sorted by field name, then type: the order of digest items.
    let columns: [Column]
    let names: [FormField: String]
    let inForce: FormCatalog.Definition

    init(
        number: Int64, formID: String, table: String, names: [FormField: String],
        inForce: FormCatalog.Definition
    ) {
        self.number = number
        self.formID = formID
        self.table = table
        self.names = names
        self.inForce = inForce
        columns = FormTable.columns(names)
    }

    /// The columns, in the order of their fields.
    static func columns(_ names: [FormField: String]) -> [Column] {
        let sharing = ColumnNames.sharing(names)
        return names.filter { !sharing.contains($0.key) }.map { field, name in
            let whole = FormField(name: field.name, type: .integer)
            return Column(
                field: field, name: name,
                whole: field.type == .decimal && sharing.contains(whole) ? whole : nil)
        }.sorted { $0.field < $1.field }
    }

    var quoted: String { SQLName.quote(table) }
}

extension FormField {
    /// By the bytes of the name, then by type.
    static func < (a: FormField, b: FormField) -> Bool {
        a.name.utf8.elementsEqual(b.name.utf8)
            ? a.type.rawValue < b.type.rawValue
            : a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
    }
}
