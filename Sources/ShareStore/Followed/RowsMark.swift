import ShareCore

/// How far the rows of a form and its repeats had come at a moment, to see later whether any of
/// them has changed since.
package struct RowsMark: Sendable {
    /// The outermost form's id.
    fileprivate let form: String
    fileprivate let touch: Int64
    /// The number of each table's last row, by its form's id.
    fileprivate let last: [String: Int64]
}

extension Room {
    /// - Parameter formID: of a form, or of a repeat in it.
    func mark(of formID: String) throws -> RowsMark {
        let form = FormDefinition.outermostForm(of: formID)
        var last: [String: Int64] = [:]
        for table in tables(of: form) {
            last[table.formID] =
                try database.integer("SELECT max(rowid) FROM \(table.quoted)") ?? 0
        }
        let touch = try database.integer("SELECT max(touch) FROM _touched") ?? 0
        return RowsMark(form: form, touch: touch, last: last)
    }

    /// Whether no row has come, changed or gone since.
    func isAt(_ mark: RowsMark) throws -> Bool {
        let now = try self.mark(of: mark.form)
        guard now.last == mark.last else { return false }
        guard now.touch != mark.touch else { return true }
        // Lines that are gone may have told of any row.
        guard
            let oldest = try database.integer("SELECT min(touch) FROM _touched"),
            oldest <= mark.touch + 1
        else { return false }
        return try tables(of: mark.form).allSatisfy {
            try database.integer(
                "SELECT 1 FROM _touched WHERE touch > ?1 AND form = ?2 LIMIT 1",
                .integer(mark.touch), .integer($0.number)) == nil
        }
    }

    private func tables(of form: String) -> [FormTable] {
        forms.catalog.forms.values.filter {
            $0.formID == form || $0.formID.hasPrefix(form + "/")
        }
    }
}
