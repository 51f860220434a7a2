import ShareCore

/// A form as it lies in the file: a table, and a column for each field.
struct FormTable {
    struct Column: Hashable {
        let field: FormField
        let name: String
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
        columns = names.map { Column(field: $0, name: $1) }.sorted { $0.field < $1.field }
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
