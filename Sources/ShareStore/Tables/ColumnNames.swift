import ShareCore
import ShareCrypto

/// Names of tables and columns: a function of what the accepted definitions say, never of the
/// order in which they came.
enum ColumnNames {
    /// The columns that each form table has of its own.
    static let reserved = [
        "_id", "_author", "_created", "_updated", "_state", "_version", "_clock", "rowid", "oid",
        "_rowid_",
    ]

    /// Columns that fields can have: SQLite takes 2,000 in a table, our own among them. Fields
    /// beyond them stay in the records' versions (docs/storage.md).
    static let limit = 1_900

    /// A column for each field, as far as they go: the fields of the form in force have their
    /// plain names, the same name with another type is `name__type`. Whole numbers share the column
    /// of decimals of their name, unless the form in force asks for whole ones.
    static func columns(
        inForce: [FormField], others: some Sequence<FormField>
    ) -> [FormField: String] {
        var taken = Set(reserved)
        var names: [FormField: String] = [:]
        let current = Set(inForce)
        let plain = Set(inForce.map(\.name))
        for field in current.sorted(by: <) {
            names[field] = free(field.name, hashed: field, &taken)
        }
        var seen: Set<String> = []
        let earlier = Set(others).subtracting(current)
        let sharing = earlier.filter {
            $0.type == .integer
                && (current.contains($0.asDecimal) || earlier.contains($0.asDecimal))
        }
        for field in earlier.subtracting(sharing).sorted(by: <) {
            guard names.count < limit else { break }
            // A removed field keeps its plain name, unless a field in force bears it.
            let isFirst = !plain.contains(field.name) && seen.insert(field.name).inserted
            let wanted = isFirst ? field.name : "\(field.name)__\(field.type.name)"
            names[field] = free(wanted, hashed: field, &taken)
        }
        for field in sharing { names[field] = names[field.asDecimal] }
        return names
    }

    /// The whole numbers that lie in the column of decimals.
    static func sharing(_ names: [FormField: String]) -> Set<FormField> {
        Set(
            names.lazy.filter { $0.type == .integer && names[$0.asDecimal] == $1 }.map(\.key))
    }

    /// A table for each form. `device` is the file's own.
    static func tables(_ formIDs: some Sequence<String>) -> [String: String] {
        var taken: Set<String> = ["device"]
        var names: [String: String] = [:]
        for formID in formIDs.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let folded = SQLName.folded(formID)
            let isInternal = folded.hasPrefix("_") || folded.hasPrefix("sqlite_")
            names[formID] = free(
                isInternal ? "form\(formID)" : formID,
                hashed: FormField(name: formID, type: .text), &taken)
        }
        return names
    }

    /// A view for each form, by its table, which nothing has to make way for.
    static func views(_ tables: [String: String]) -> [String: String] {
        var taken = Set(tables.values.map { SQLName.folded($0) }).union(["device"])
        var names: [String: String] = [:]
        for (formID, table) in tables.sorted(by: {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }) {
            names[formID] = free(
                "\(table)_view", hashed: FormField(name: formID, type: .text), &taken)
        }
        return names
    }

    private static func free(
        _ wanted: String, hashed field: FormField, _ taken: inout Set<String>
    ) -> String {
        var name = wanted
        var bytes = Array(field.name.utf8) + [field.type.rawValue]
        while !taken.insert(SQLName.folded(name)).inserted {
            bytes = Hash.digest(bytes).bytes
            name = "\(wanted)__\(Base32.encode(bytes.prefix(5)))"
        }
        return name
    }
}

extension FormField {
    /// The field of the same name that is decimal.
    fileprivate var asDecimal: FormField { FormField(name: name, type: .decimal) }
}
