import ShareCore

/// Looks at the rows that were made last, which costs the same however many there are.
extension RoomReader {
    /// The records wanted among the last ones that came here, the latest first.
    ///
    /// - Parameter rows: how many are looked at.
    /// - Complexity: O(rows).
    package func latest(
        _ form: FormInfo, where conditions: [RecordQuery.Condition], among rows: Int, limit: Int
    ) throws -> [RecordRow] {
        let (text, values) = try RoomReader.latest(form, conditions, rows, limit, functions)
        let statement = try database.prepare(text)
        try statement.bind(values)
        var columns = RecordColumns(form, devices)
        var found: [RecordRow] = []
        while try statement.step() { found.append(try columns.row(statement)) }
        return found
    }

    /// The statement and what it binds.
    static func latest(
        _ form: FormInfo, _ conditions: [RecordQuery.Condition], _ rows: Int, _ limit: Int,
        _ functions: RowFunctions
    ) throws -> (text: String, values: [SQLValue]) {
        var sql = RecordSQL(form, functions)
        let table = SQLName.quote(form.table)
        let last = "rowid > (SELECT max(rowid) FROM \(table)) - \(rows)"
        let text = """
            SELECT \(RecordColumns.sql(form)) FROM \(table)\
            \(try sql.whereClause(conditions, also: [last])) ORDER BY rowid DESC LIMIT \(limit)
            """
        return (text, sql.values.all)
    }
}
