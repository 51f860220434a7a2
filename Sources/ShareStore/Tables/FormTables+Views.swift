import ShareCore

/// A view for each form, in which people read its entries: authors by name, times as text.
extension FormTables {
    /// Makes the views what a catalog says, where they are not.
    func installViews(_ catalog: FormCatalog) throws {
        let names = ColumnNames.views(catalog.plans.mapValues(\.table))
        var wanted: [String: String] = [:]
        for (formID, plan) in catalog.plans {
            if let name = names[formID] { wanted[name] = FormTables.view(name, of: plan) }
        }
        guard try views() != wanted else { return }
        try dropViews()
        for (_, sql) in wanted.sorted(by: { $0.key < $1.key }) { try database.execute(sql) }
    }

    /// Tables and columns cannot be renamed while a view names them.
    func dropViews() throws {
        for name in try views().keys {
            try database.execute("DROP VIEW \(SQLName.quote(name))")
        }
    }

    /// The statements of all views but `device`, by name.
    private func views() throws -> [String: String] {
        var views: [String: String] = [:]
        for row in try database.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND name <> 'device'")
        {
            if case .text(let name) = row[0], case .text(let sql) = row[1] { views[name] = sql }
        }
        return views
    }

    private static func view(_ name: String, of plan: FormCatalog.Plan) -> String {
        let fields = plan.columns.map { "t.\(SQLName.quote($0.name))," }.joined()
        return """
            CREATE VIEW \(SQLName.quote(name)) AS SELECT t._id,\(fields)
            coalesce(d.name, substr(d.id, 5, 8)) AS _author_name, d.id AS _author,
            datetime(t._created / 1000, 'unixepoch', 'localtime') AS _created,
            datetime(t._updated / 1000, 'unixepoch', 'localtime') AS _updated, t._state
            FROM \(SQLName.quote(plan.table)) t LEFT JOIN device d ON d.device = t._author
            """
    }
}
