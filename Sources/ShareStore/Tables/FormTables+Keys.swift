import ShareCore

/// An index on the key of each form that has one: by it people and other forms name its entries
/// (docs/decisions/0035-an-index-on-keys.md).
extension FormTables {
    /// Fields of a key that its index has. What they leave is looked through.
    private static let keyColumns = 8

    /// Makes the indexes what a catalog says, where they are not.
    func installKeys(_ catalog: FormCatalog) throws {
        for statement in try keyChanges(catalog) { try database.execute(statement) }
    }

    /// The statements that lead from the indexes that there are to those that a catalog says.
    func keyChanges(_ catalog: FormCatalog) throws -> [String] {
        let tables = Set(
            try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map { $0[0] })
        var wanted: [String: String] = [:]
        for plan in catalog.plans.values where tables.contains(.text(plan.table)) {
            let columns = try keyColumns(of: plan).map { SQLName.quote($0) }
            guard !columns.isEmpty else { continue }
            let name = "_key_\(plan.table)"
            wanted[name] =
                "CREATE INDEX \(SQLName.quote(name)) ON \(SQLName.quote(plan.table))"
                + "(\(columns.joined(separator: ",")))"
        }
        var gone: [String] = []
        for row in try database.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB '_key_*'")
        {
            guard case .text(let name) = row[0], case .text(let sql) = row[1] else { continue }
            // The text follows renamed tables and columns.
            if wanted[name] == sql { wanted[name] = nil } else { gone.append(name) }
        }
        return gone.map { "DROP INDEX \(SQLName.quote($0))" }
            + wanted.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The columns of the key that the definition in force names, as far as it has such fields.
    private func keyColumns(of plan: FormCatalog.Plan) throws -> [String] {
        let definition = plan.inForce.form
        let names = try database.rows(
            """
            SELECT value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END, '$.key')
            LIMIT \(FormTables.keyColumns)
            """, .text(definition.json))
        var columns: [String] = []
        for row in names {
            guard case .text(let name) = row[0],
                let field = definition.fields.first(where: {
                    $0.name.utf8.elementsEqual(name.utf8)
                }), let column = plan.names[field]
            else { break }
            if !columns.contains(column) { columns.append(column) }
        }
        return columns
    }
}
