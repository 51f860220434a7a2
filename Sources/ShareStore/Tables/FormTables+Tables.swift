import ShareCore

/// The tables themselves: made, widened and renamed as the accepted definitions say.
extension FormTables {

    /// The tables of a file that is up to date.
    func loadForms(_ catalog: FormCatalog) throws -> [String: FormTable] {
        var forms: [String: FormTable] = [:]
        for (formID, existing) in try existingForms() {
            guard let plan = catalog.plans[formID], existing.table != nil else { continue }
            forms[formID] = FormTable(
                number: existing.number, formID: formID, table: plan.table, names: plan.names,
                inForce: plan.inForce)
        }
        return forms
    }

    struct ExistingForm {
        let number: Int64
        let table: String?
    }

    func existingForms() throws -> [String: ExistingForm] {
        var forms: [String: ExistingForm] = [:]
        for row in try database.rows("SELECT form, form_id, table_name FROM _form") {
            guard case .integer(let number) = row[0], case .text(let formID) = row[1] else {
                continue
            }
            var table: String?
            if case .text(let name) = row[2] { table = name }
            forms[formID] = ExistingForm(number: number, table: table)
        }
        return forms
    }

    /// Changes the tables to what the catalog says and returns them. Rows that the change takes
    /// the ground from have been taken out before.
    func installTables(_ catalog: FormCatalog) throws -> [String: FormTable] {
        // Statements and views name tables and columns that may be about to change.
        database.forgetStatements()
        try dropViews()
        let existing = try existingForms()
        for (formID, form) in existing where catalog.plans[formID] == nil {
            guard let table = form.table else { continue }
            try database.execute("DROP TABLE \(SQLName.quote(table))")
            try database.run("UPDATE _form SET table_name = NULL WHERE form_id = ?1", .text(formID))
            try database.run("DELETE FROM _field WHERE form = ?1", .integer(form.number))
        }
        // In two steps, as a new name may still be another table's.
        for (formID, form) in existing {
            guard let table = form.table, let plan = catalog.plans[formID], table != plan.table
            else { continue }
            try rename(table: table, to: "_moving_\(form.number)")
        }
        for (formID, form) in existing {
            guard let table = form.table, let plan = catalog.plans[formID], table != plan.table
            else { continue }
            try rename(table: "_moving_\(form.number)", to: plan.table)
        }
        var forms: [String: FormTable] = [:]
        for (formID, plan) in catalog.plans {
            let isNew = existing[formID]?.table == nil
            if isNew { try createTable(plan.table, plan.columns) }
            try database.run(
                """
                INSERT INTO _form(form_id, table_name, records) VALUES(?1, ?2, 0)
                ON CONFLICT(form_id) DO UPDATE SET table_name = ?2
                """, .text(formID), .text(plan.table))
            guard
                let number = try database.integer(
                    "SELECT form FROM _form WHERE form_id = ?1", .text(formID))
            else { continue }
            if isNew {
                try note(plan.names, of: number)
            } else {
                try installColumns(plan, of: number)
            }
            forms[formID] = FormTable(
                number: number, formID: formID, table: plan.table, names: plan.names,
                inForce: plan.inForce)
        }
        database.forgetStatements()
        return forms
    }

    /// The columns that each form table has, whatever the form.
    static let ownColumns = [
        "_id", "_author", "_created", "_updated", "_state", "_version", "_clock",
    ]

    /// Makes a form's table with these columns for fields.
    func createTable(_ table: String, _ columns: [FormTable.Column]) throws {
        let sql = columns.map { ",\(SQLName.quote($0.name)) \($0.type)" }.joined()
        try database.execute(
            """
            CREATE TABLE \(SQLName.quote(table))(
                _id TEXT NOT NULL, _author INTEGER NOT NULL, _created INTEGER NOT NULL,
                _updated INTEGER NOT NULL, _state TEXT, _version INTEGER NOT NULL,
                _clock INTEGER NOT NULL\(sql), UNIQUE(_id, _author)) STRICT
            """)
        let isRepeat = FormDefinition.repeatFields.allSatisfy { field in
            columns.contains { $0.field == field }
        }
        if isRepeat { try indexParents(of: table) }
    }

    func rename(table: String, to name: String) throws {
        try database.execute(
            "ALTER TABLE \(SQLName.quote(table)) RENAME TO \(SQLName.quote(name))")
        // An index keeps its name, which follows from the table's on every device.
        let old = SQLName.quote(FormTables.parentIndex(of: table))
        guard
            try database.integer(
                "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1",
                .text(FormTables.parentIndex(of: table))) != nil
        else { return }
        try database.execute("DROP INDEX \(old)")
        try indexParents(of: name)
    }

    private static func parentIndex(of table: String) -> String { "_parent_\(table)" }

    /// The rows of an entry in a repeat, in their order.
    private func indexParents(of table: String) throws {
        try database.execute(
            """
            CREATE INDEX \(SQLName.quote(FormTables.parentIndex(of: table)))
            ON \(SQLName.quote(table))(_parent, _index)
            """)
    }

}

extension StorageType {
    /// The column type in a STRICT table.
    var sql: String {
        switch self {
        case .text, .date, .time, .dateTime: "TEXT"
        case .integer: "INTEGER"
        case .decimal: "REAL"
        }
    }
}
