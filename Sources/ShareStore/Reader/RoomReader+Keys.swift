import ShareCore

/// Finds records by the values of their form's key.
extension RoomReader {
    /// The records with these values in the columns of the form's key, the latest that came here
    /// first, behind them those that are withheld.
    ///
    /// - Complexity: O(limit · log records).
    package func latest(
        _ form: FormInfo, where conditions: [RecordQuery.Condition], limit: Int
    ) throws -> [RecordRow] {
        let (text, values) = try RoomReader.latest(form, conditions, limit, functions)
        return try database.snapshot {
            let statement = try database.prepare(text)
            try statement.bind(values)
            var columns = RecordColumns(form, devices)
            var found: [RecordRow] = []
            while try statement.step() { found.append(try columns.row(statement)) }
            let withheld = try WithheldEntries(database: database).rows(
                of: form, RecordQuery(where: conditions))
            return found + withheld.prefix(limit - found.count)
        }
    }

    /// How many keys several records have, whatever white space at their ends and case of ASCII
    /// letters.
    ///
    /// - Parameter places: the key's, among the form's columns.
    /// - Complexity: O(records · log records).
    package func repeatedKeys(of form: FormInfo, at places: [Int]) throws -> Int {
        let columns = places.map { SQLName.quote(form.columns[$0].name) }
        let count = try database.integer(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM \(SQLName.quote(form.table))
                WHERE coalesce(\((columns + ["NULL"]).joined(separator: ", "))) IS NOT NULL
                GROUP BY \(columns.map { "lower(trim(\($0)))" }.joined(separator: ", "))
                HAVING count(*) > 1)
            """)
        return Int(count ?? 0)
    }

    /// The statement and what it binds. Rows of one key stand in their order in its index, so
    /// nothing is sorted, however many there are.
    static func latest(
        _ form: FormInfo, _ conditions: [RecordQuery.Condition], _ limit: Int,
        _ functions: RowFunctions
    ) throws -> (text: String, values: [SQLValue]) {
        var sql = RecordSQL(form, functions)
        let text = """
            SELECT \(RecordColumns.sql(form)) FROM \(SQLName.quote(form.table))\
            \(try sql.whereClause(conditions)) ORDER BY rowid DESC LIMIT \(limit)
            """
        return (text, sql.values.all)
    }
}
