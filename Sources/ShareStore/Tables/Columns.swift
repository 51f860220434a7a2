import ShareCore

/// The columns of a form's table: added, renamed and set aside as the accepted definitions say.
/// Each change is one of the schema alone, however many rows there are, but where a field becomes
/// decimal: its column is to take whole numbers and others, and a column has one type for good.
extension FormTables {
    /// Gives a form's table the columns that a plan says.
    func installColumns(_ plan: FormCatalog.Plan, of form: Int64) throws {
        var present: [FormField: String] = [:]
        for row in try database.rows(
            "SELECT name, type, column_name FROM _field WHERE form = ?1", .integer(form))
        {
            guard case .text(let name) = row[0], case .integer(let raw) = row[1],
                let type = StorageType(rawValue: UInt8(truncatingIfNeeded: raw)),
                case .text(let column) = row[2]
            else { continue }
            present[FormField(name: name, type: type)] = column
        }
        guard present != plan.names else { return }
        let columns = try TableColumns(of: plan.table, used: present.values, in: database)
        let more = plan.names.keys.filter { present[$0] == nil }.count
        let sharing = ColumnNames.sharing(plan.names)
        if try ColumnNames.sharing(present) != sharing
            || columns.names.count + more > FormTables.columnsPerTable
            || more > FormTables.columnsOneByOne && isSmall(plan.table)
        {
            try remake(plan, of: form, from: present)
            return try note(plan.names, of: form)
        }
        // Each column once.
        present = present.filter { !sharing.contains($0.key) }
        let names = plan.names.filter { !sharing.contains($0.key) }
        for (field, column) in present where plan.unplaced.contains(field) {
            // Its values are among the versions now; the next field is to find the column empty.
            let column = SQLName.quote(column)
            try database.execute(
                """
                UPDATE \(SQLName.quote(plan.table)) SET \(column) = NULL
                WHERE \(column) IS NOT NULL
                """)
            try TouchedRows(database: database).beginAnew()
        }
        var spare = columns.spare
        var taken = Set((columns.names + plan.names.values).map { SQLName.folded($0) })
        func rename(_ column: String, to name: String) throws {
            try database.execute(
                """
                ALTER TABLE \(SQLName.quote(plan.table))
                RENAME COLUMN \(SQLName.quote(column)) TO \(SQLName.quote(name))
                """)
        }
        // Dropping a column writes every row anew. What lost its ground has been taken out, so
        // the column is empty, and waits under another name for the next of its type.
        let wanted = Set(names.values.map { SQLName.folded($0) })
        for (position, column) in spare.enumerated()
        where wanted.contains(SQLName.folded(column.name)) {
            spare[position].name = free("_spare_", &taken)
            try rename(column.name, to: spare[position].name)
        }
        for (field, column) in present where names[field] == nil {
            let name = free("_spare_", &taken)
            try rename(column, to: name)
            spare.append((name, field.type.sql))
        }
        // In two steps, as a new name may still be another column's.
        let moving = present.filter { names[$0.key] != nil && names[$0.key] != $0.value }
        let moved = try moving.map { field, column in
            let name = free("_moving_", &taken)
            try rename(column, to: name)
            return (name: name, field: field)
        }
        for (name, field) in moved {
            if let final = names[field] { try rename(name, to: final) }
        }
        for column in plan.columns where present[column.field] == nil {
            let (field, name) = (column.field, column.name)
            if let position = spare.firstIndex(where: { $0.type == field.type.sql }) {
                try rename(spare.remove(at: position).name, to: name)
                continue
            }
            try database.execute(
                """
                ALTER TABLE \(SQLName.quote(plan.table))
                ADD COLUMN \(SQLName.quote(name)) \(field.type.sql)
                """)
        }
        try note(plan.names, of: form)
    }

    /// Notes the columns of a form's table.
    func note(_ names: [FormField: String], of form: Int64) throws {
        try database.run("DELETE FROM _field WHERE form = ?1", .integer(form))
        for (field, name) in names {
            try database.run(
                "INSERT INTO _field(form, name, type, column_name) VALUES(?1, ?2, ?3, ?4)",
                .integer(form), .text(field.name), .integer(Int64(field.type.rawValue)),
                .text(name))
        }
    }

    /// Columns of a table, `SQLITE_MAX_COLUMN` as it is built everywhere. Spare ones count, and
    /// each has one type for good.
    private static let columnsPerTable = 2_000
    /// For each column that is added SQLite reads the whole schema again: of more than so many a
    /// small table is quicker made anew.
    private static let columnsOneByOne = 32
    private static let smallTable = 10_000

    private func isSmall(_ table: String) throws -> Bool {
        try database.integer(
            """
            SELECT count(*) FROM
            (SELECT 1 FROM \(SQLName.quote(table)) LIMIT \(FormTables.smallTable + 1))
            """) ?? 0 <= FormTables.smallTable
    }

    /// Makes a form's table anew, with the values of the fields that keep a column.
    private func remake(
        _ plan: FormCatalog.Plan, of form: Int64, from present: [FormField: String]
    ) throws {
        let remade = "_remade_\(form)"
        try createTable(remade, plan.columns)
        let kept = plan.columns.compactMap { column in
            values(of: column, in: present).map { (name: SQLName.quote(column.name), values: $0) }
        }
        func list(_ columns: [String]) -> String {
            (["rowid"] + FormTables.ownColumns + columns).joined(separator: ",")
        }
        try database.execute(
            """
            INSERT INTO \(SQLName.quote(remade))(\(list(kept.map(\.name))))
            SELECT \(list(kept.map(\.values))) FROM \(SQLName.quote(plan.table))
            """)
        try database.execute("DROP TABLE \(SQLName.quote(plan.table))")
        try rename(table: remade, to: plan.table)
    }

    /// The values for a column as the table has them; nil for none. A row that is a record's only
    /// version has one kind of number; of others rows are written anew.
    private func values(
        of column: FormTable.Column, in present: [FormField: String]
    ) -> String? {
        let sources = [column.field, column.whole].compactMap { $0.flatMap { present[$0] } }
            .map { SQLName.quote($0) }
        guard let first = sources.first, let last = sources.last else { return nil }
        if column.whole != nil {
            return first == last ? first : "coalesce(\(first), \(last))"
        }
        // Of a column that was shared each takes its own.
        return """
            CASE WHEN typeof(\(first)) = '\(column.type.lowercased())' THEN \(first) END
            """
    }

    /// A name that no column has and none is to have.
    private func free(_ prefix: String, _ taken: inout Set<String>) -> String {
        var number = 1
        while !taken.insert("\(prefix)\(number)").inserted { number += 1 }
        return "\(prefix)\(number)"
    }
}

/// The columns that a form's table has in the file.
private struct TableColumns {
    var names: [String] = []
    /// Those that hold no field's values, with their types.
    var spare: [(name: String, type: String)] = []

    init(of table: String, used: some Sequence<String>, in database: Database) throws {
        let own = Set(ColumnNames.reserved).union(used)
        let statement = try database.prepare("PRAGMA table_info(\(SQLName.quote(table)))")
        while try statement.step() {
            let name = statement.text(1)
            names.append(name)
            if !own.contains(name) { spare.append((name, statement.text(2))) }
        }
    }
}
