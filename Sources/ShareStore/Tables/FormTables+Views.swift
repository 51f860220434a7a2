import ShareCore

/// A view for each form, in which people read its entries: authors by name, times as text.
extension FormTables {
    /// Makes the views what a catalog says, where they are not.
    func installViews(_ catalog: FormCatalog) throws {
        let names = ColumnNames.views(catalog.plans.mapValues(\.table))
        var wanted: [String: String] = [:]
        // A form and its repeats have them in common.
        var labels: [String: ViewLabels] = [:]
        for (formID, plan) in catalog.plans {
            guard let name = names[formID] else { continue }
            let root = FormDefinition.outermostForm(of: formID)
            let labelled = try labels[root] ?? self.labels(of: root, catalog)
            labels[root] = labelled
            wanted[name] = FormTables.view(
                name, of: plan, try points(of: root, plan, catalog), labelled)
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

    /// The names of the fields of a form that are places; where its table has columns of earlier
    /// versions, in any of them.
    private func points(
        of root: String, _ plan: FormCatalog.Plan, _ catalog: FormCatalog
    ) throws -> Set<String> {
        var found = try points(in: catalog.plans[root]?.inForce.form.json ?? "")
        let asked = Set(plan.inForce.form.fields)
        guard plan.columns.contains(where: { !asked.contains($0.field) }) else { return found }
        for definition in catalog.definitions.values
        where definition.isAccepted && definition.form.formID == root {
            found.formUnion(try points(in: definition.form.json))
        }
        return found
    }

    private func labels(of root: String, _ catalog: FormCatalog) throws -> ViewLabels {
        guard let inForce = catalog.plans[root]?.inForce else {
            return try ViewLabels([], in: database)
        }
        let others = catalog.definitions.values.filter {
            $0.isAccepted && $0.form.formID == root && $0.name != inForce.name
        }.sorted { ($1.clock, $1.name) < ($0.clock, $0.name) }
        return try ViewLabels([inForce.form.json] + others.map(\.form.json), in: database)
    }

    /// The names of the fields of a definition that are places.
    private func points(in json: String) throws -> Set<String> {
        let rows = try database.rows(
            """
            SELECT json_extract(value, '$.name')
            FROM json_tree(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END)
            WHERE type = 'object' AND json_extract(value, '$.type') = 'geopoint'
            """, .text(json))
        return Set(
            rows.compactMap { if case .text(let name) = $0[0] { name } else { nil } })
    }

    /// Columns of a view, at most: SQLite has 2,000 for a result.
    private static let mostColumns = 1_900

    /// - Parameters:
    ///   - points: fields that are places: their latitude and longitude stand behind them.
    ///   - labels: what choices are called stands behind them.
    private static func view(
        _ name: String, of plan: FormCatalog.Plan, _ points: Set<String>, _ labels: ViewLabels
    ) -> String {
        var taken = Set(plan.columns.map { SQLName.folded($0.name) })
        var free = mostColumns - plan.columns.count - 2 * points.count
        let fields = plan.columns.map { column in
            let name = SQLName.quote(column.name)
            // In SQL half of a whole number is a whole number.
            let own = column.whole == nil ? "t.\(name)" : "CAST(t.\(name) AS REAL) AS \(name)"
            let label = column.name + "_label"
            if free > 0, !taken.contains(SQLName.folded(label)),
                let shown = labels.sql(of: column.field, as: "t.\(name)")
            {
                free -= 1
                taken.insert(SQLName.folded(label))
                return "\(own),\n\(shown) AS \(SQLName.quote(label)),\n"
            }
            let pair = ["_lat", "_lon"].map { column.name + $0 }
            guard column.field.type == .text, points.contains(column.field.name),
                pair.allSatisfy({ !taken.contains(SQLName.folded($0)) })
            else { return own + "," }
            return """
                \(own),
                CAST(\(own) AS REAL) AS \(SQLName.quote(pair[0])),
                CAST(nullif(substr(\(own), instr(\(own), ' ') + 1), '') AS REAL)
                    AS \(SQLName.quote(pair[1])),

                """
        }.joined()
        return """
            CREATE VIEW \(SQLName.quote(name)) AS SELECT t._id,\(fields)
            coalesce(d.name, substr(d.id, 5, 8)) AS _author_name, d.id AS _author,
            datetime(t._created / 1000, 'unixepoch', 'localtime') AS _created,
            datetime(t._updated / 1000, 'unixepoch', 'localtime') AS _updated, t._state
            FROM \(SQLName.quote(plan.table)) t LEFT JOIN device d ON d.device = t._author
            """
    }
}
