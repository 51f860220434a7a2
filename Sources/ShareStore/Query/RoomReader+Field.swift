import ShareCore

/// What the values of one field of a form come to.
extension RoomReader {
    /// What the values of a field come to.
    ///
    /// - Throws: `StoreError.unknownField`; `SQLiteError`.
    /// - Complexity: O(n log n) for a number.
    package func statistics(
        _ form: FormInfo, of subject: RecordQuery.Subject,
        where conditions: [RecordQuery.Condition] = []
    ) throws -> FieldStatistics {
        try database.snapshot {
            var sql = try sql(of: form)
            let column = try RecordSQL.column(subject, form)
            let isNumber = subject.isNumber(in: form)
            // Of numbers that are texts, also those that are not finite.
            var kept = column
            if case .number(let name) = subject { kept = try RecordSQL.column(.column(name), form) }
            let rows = "FROM \(SQLName.quote(form.table))" + (try sql.whereClause(conditions))
            let statement = try database.prepare(
                """
                SELECT count(*), count(\(column)), count(DISTINCT \(column)), min(\(column)),
                max(\(column)), total(\(column)), count(\(kept)) \(rows)
                """)
            try statement.bind(sql.values.all)
            guard try statement.step() else { throw StoreError.damaged("a count") }
            let n = Int(statement.integer(1))
            let sum = isNumber && n > 0 ? statement.real(5) : nil
            return FieldStatistics(
                n: n, missing: Int(statement.integer(0)) - n,
                notFinite: Int(statement.integer(6)) - n, distinct: Int(statement.integer(2)),
                sum: sum,
                mean: sum.map { $0 / Double(n) }, least: FieldValue(statement.value(3)),
                greatest: FieldValue(statement.value(4)),
                quartiles: isNumber && n > 0
                    ? try quartiles(form, column, conditions, n: n) : nil)
        }
    }

    private func quartiles(
        _ form: FormInfo, _ column: String, _ conditions: [RecordQuery.Condition], n: Int
    ) throws -> [Double] {
        var sql = try sql(of: form)
        let filter = try sql.whereClause(conditions, also: ["\(column) IS NOT NULL"])
        // SQLite's own sorting takes five times as long, but no memory.
        let isSorted = n > FigureQuery.mostSorted
        let statement = try database.prepare(
            "SELECT \(column) FROM \(SQLName.quote(form.table))\(filter)"
                + (isSorted ? " ORDER BY 1" : ""))
        try statement.bind(sql.values.all)
        let wanted = [0.25, 0.5, 0.75].map { Double(n - 1) * $0 }
        let positions = Set(wanted.flatMap { [Int($0), Int($0) + 1] })
        var found: [Int: Double] = [:]
        var values: [Double] = []
        if !isSorted { values.reserveCapacity(n) }
        var index = 0
        while try statement.step() {
            if !isSorted {
                values.append(statement.real(0))
            } else if positions.contains(index) {
                found[index] = statement.real(0)
            }
            index += 1
        }
        values.sort()
        for index in positions where values.indices.contains(index) { found[index] = values[index] }
        return wanted.map { position in
            let low = found[Int(position)] ?? 0
            let high = found[Int(position) + 1] ?? low
            let share = position - position.rounded(.down)
            return share == 0 ? low : low + (high - low) * share
        }
    }

    /// The field as numbers where it is a text whose values all spell one, as calculations do, or
    /// are not finite; else as it is.
    ///
    /// - Throws: `StoreError.unknownField`; `SQLiteError`.
    package func asNumbers(
        _ form: FormInfo, _ subject: RecordQuery.Subject
    ) throws -> RecordQuery.Subject {
        guard case .column(let name) = subject,
            form.columns.contains(where: { $0.name == name && $0.field.type == .text })
        else { return subject }
        let column = try RecordSQL.column(subject, form)
        let number = try RecordSQL.column(.number(name), form)
        let rows = "SELECT 1 FROM \(SQLName.quote(form.table)) WHERE \(column)"
        let statement = try database.prepare(
            """
            SELECT EXISTS(\(rows) IS NOT NULL)
            AND NOT EXISTS(\(rows) NOT IN ('Infinity', '-Infinity', 'NaN') AND \(number) IS NULL)
            """)
        guard try statement.step(), statement.integer(0) == 1 else { return subject }
        return .number(name)
    }

    /// How many records have a number in each of several ranges of equal width.
    ///
    /// - Parameters:
    ///   - start: where the first range begins.
    ///   - width: more than 0.
    ///   - count: of ranges, at least 1.
    package func bins(
        _ form: FormInfo, of subject: RecordQuery.Subject, start: Double, width: Double,
        count: Int, where conditions: [RecordQuery.Condition] = []
    ) throws -> [Int] {
        var sql = try sql(of: form)
        let column = try RecordSQL.column(subject, form)
        // Counted here: to group them SQLite would sort all numbers.
        let statement = try database.prepare(
            "SELECT \(column) FROM \(SQLName.quote(form.table))"
                + (try sql.whereClause(conditions)))
        try statement.bind(sql.values.all)
        var counts = Array(repeating: 0, count: count)
        while try statement.step() {
            guard !statement.isNull(0) else { continue }
            let bin = (statement.real(0) - start) / width
            counts[bin >= 1 ? (bin < Double(count) ? Int(bin) : count - 1) : 0] += 1
        }
        return counts
    }
}
