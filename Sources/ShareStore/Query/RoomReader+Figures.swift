package import ShareCore

/// Counts and figures, computed by SQLite from one unchanging view of the room.
extension RoomReader {
    /// Groups of which figures are given one by one.
    package static let mostGroups = 1_000
    /// Combinations of several choices that are taken apart.
    private static let mostCombinations = 100_000

    /// Runs several looks as one.
    package func perform<Result: Sendable>(
        _ steps: @Sendable (isolated RoomReader) throws -> Result
    ) rethrows -> Result {
        try steps(self)
    }

    /// How many records of a form are wanted.
    package func count(
        _ form: FormInfo, where conditions: [RecordQuery.Condition]
    ) throws -> Int {
        try figures(form, FigureQuery(where: conditions)).records
    }

    /// How many of those that are wanted were made here and never sent, as this device's role does
    /// not allow them any more: figures count none of these.
    package func countWithheld(
        _ form: FormInfo, where conditions: [RecordQuery.Condition]
    ) throws -> Int {
        try WithheldEntries(database: database).rows(of: form, RecordQuery(where: conditions)).count
    }

    /// Whether any record of the room has a review.
    ///
    /// - Complexity: O(versions of records that were changed).
    package func hasReviews() throws -> Bool {
        try database.integer(
            "SELECT 1 FROM _version WHERE kind = \(RecordsBlock.Kind.review.rawValue) LIMIT 1")
            != nil
    }

    /// How many records of a form are wanted; `most` where there are as many or more.
    package func count(
        _ form: FormInfo, where conditions: [RecordQuery.Condition], upTo most: Int
    ) throws -> Int {
        var sql = try sql(of: form)
        var text = "SELECT count(*) FROM (SELECT 1 FROM \(SQLName.quote(form.table))"
        text += try sql.whereClause(conditions)
        text += " LIMIT \(most))"
        let statement = try database.prepare(text)
        try statement.bind(sql.values.all)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Groups records and puts their numbers together.
    ///
    /// - Parameter limit: groups that are given one by one, the largest first; at most
    ///   `mostGroups`.
    /// - Throws: `StoreError.unknownField`; `SQLiteError`.
    package func figures(
        _ form: FormInfo, _ query: FigureQuery, limit: Int = RoomReader.mostGroups
    ) throws -> Figures {
        try database.snapshot {
            let choices = query.groupings.indices.filter { query.groupings[$0].isOfChoices }
            var isLarge = false
            var first = query
            // Single choices have no median of what was chosen together.
            if !choices.isEmpty { first.hasMedian = false }
            var groups = try self.groups(form, first, isLarge: &isLarge)
            for index in choices { groups = RoomReader.split(groups, at: index) }
            var whole: [FigureGroup]?
            if !choices.isEmpty {
                var once = first
                once.groupings.removeAll { $0.isOfChoices }
                whole = try self.groups(form, once, isLarge: &isLarge)
            }
            let records = (whole ?? groups).reduce(0) { $0 + $1.records }
            if isLarge || !choices.isEmpty && query.hasMedian {
                try addMedians(&groups, form, query)
            }
            let isOrdered = query.groupings.contains {
                if case .period = $0 { true } else { false }
            }
            groups.sort {
                ($1.records, $0.keys) < ($0.records, $1.keys)
            }
            var rest: FigureGroup?
            for group in groups.dropFirst(limit) {
                if rest == nil { rest = FigureGroup(keys: [], records: 0) }
                rest?.add(group)
            }
            let more = max(groups.count - limit, 0)
            groups = Array(groups.prefix(limit))
            if isOrdered {
                groups.sort { $0.keys < $1.keys }
            } else if query.groupings.count > 1 {
                groups = RoomReader.together(groups)
            }
            return Figures(
                records: records, groups: groups, more: more, rest: rest, whole: whole)
        }
    }

    /// What the second grouping divides, one after the other, the largest first.
    private static func together(_ groups: [FigureGroup]) -> [FigureGroup] {
        var parts: [FieldValue: [FigureGroup]] = [:]
        for group in groups { parts[group.keys[0], default: []].append(group) }
        let ordered = parts.map { key, groups in
            (records: groups.reduce(0) { $0 + $1.records }, key: [key], groups: groups)
        }
        return ordered.sorted { ($1.records, $0.key) < ($0.records, $1.key) }.flatMap(\.groups)
    }

    /// - Parameter isLarge: set where a group has too many numbers for its median to be found here.
    private func groups(
        _ form: FormInfo, _ query: FigureQuery, isLarge: inout Bool
    ) throws -> [FigureGroup] {
        var sql = try sql(of: form)
        let keys = try query.groupings.map { try $0.sql(form) }
        var columns = zip(query.groupings, keys).map { $0.key($1) } + ["count(*)"]
        if let field = query.field {
            let column = try RecordSQL.column(field, form)
            columns += [
                "count(\(column))", "total(\(column))", "min(\(column))", "max(\(column))",
            ]
            if let weight = query.weight {
                let weight = try RecordSQL.column(weight, form)
                let weights = "CASE WHEN \(column) IS NOT NULL THEN \(weight) END"
                columns += [
                    "total(\(column) * \(weight))", "total(\(weights))", "count(\(weights))",
                ]
            }
            if query.hasMedian {
                columns.append("\(RowFunctions.median)(\(column), \(query.mostSorted))")
            }
        }
        var text = "SELECT \(columns.joined(separator: ", ")) FROM \(SQLName.quote(form.table))"
        text += try sql.whereClause(query.conditions)
        if !keys.isEmpty {
            text += " GROUP BY " + keys.joined(separator: ", ")
        }
        let statement = try database.prepare(text)
        try statement.bind(sql.values.all)
        var groups: [FigureGroup] = []
        var rest: FigureGroup?
        let next = Int32(keys.count)
        while try statement.step() {
            var group = FigureGroup(
                keys: keys.indices.map { FieldValue(statement.value(Int32($0))) },
                records: Int(statement.integer(next)))
            if query.field != nil {
                group.n = Int(statement.integer(next + 1))
                group.sum = statement.real(next + 2)
                group.least = statement.isNull(next + 3) ? nil : statement.real(next + 3)
                group.greatest = statement.isNull(next + 4) ? nil : statement.real(next + 4)
                if query.weight != nil {
                    group.weighted = FigureGroup.Weighted(
                        n: Int(statement.integer(next + 7)), sum: statement.real(next + 5),
                        weights: statement.real(next + 6))
                }
                if query.hasMedian {
                    switch statement.value(Int32(columns.count - 1)) {
                    case .real(let median): group.median = median
                    case .integer: isLarge = true
                    default: break
                    }
                }
            }
            if groups.count < RoomReader.mostCombinations {
                groups.append(group)
            } else if rest == nil {
                rest = group
            } else {
                rest?.add(group)
            }
        }
        if var rest {
            rest.keys = keys.map { _ in .text("…") }
            groups.append(rest)
        }
        return groups
    }

    /// Calls `body` with each text of a field and with the group that its record is in, in no order,
    /// until it wants no more; `.absent` where nothing makes groups.
    package func texts(
        _ form: FormInfo, of subject: RecordQuery.Subject, by grouping: FigureQuery.Grouping?,
        where conditions: [RecordQuery.Condition], _ body: (String, FieldValue) -> Bool
    ) throws {
        var sql = try sql(of: form)
        let column = try RecordSQL.column(subject, form)
        let key = try grouping.map { $0.key(try $0.sql(form)) } ?? "NULL"
        let filter = try sql.whereClause(conditions, also: ["\(column) IS NOT NULL"])
        let statement = try database.prepare(
            "SELECT \(column), \(key) FROM \(SQLName.quote(form.table))\(filter)")
        try statement.bind(sql.values.all)
        while try statement.step() {
            guard body(statement.text(0), FieldValue(statement.value(1))) else { return }
        }
    }

    /// Groups by single choices out of groups by all that were chosen together.
    private static func split(_ groups: [FigureGroup], at index: Int) -> [FigureGroup] {
        var single: [[FieldValue]: FigureGroup] = [:]
        for group in groups {
            var names: [FieldValue] = [.absent]
            if case .text(let text) = group.keys[index] {
                let chosen = Set(text.split(separator: " ").map(String.init))
                if !chosen.isEmpty { names = chosen.map { .text($0) } }
            }
            for name in names {
                var one = group
                one.keys[index] = name
                if var known = single[one.keys] {
                    known.add(group)
                    single[one.keys] = known
                } else {
                    single[one.keys] = one
                }
            }
        }
        return Array(single.values)
    }

    private func addMedians(
        _ groups: inout [FigureGroup], _ form: FormInfo, _ query: FigureQuery
    ) throws {
        guard let field = query.field else { return }
        var sql = try sql(of: form)
        let column = try RecordSQL.column(field, form)
        let names = query.groupings.indices.map { "g\($0)" }
        let keys = try zip(query.groupings, names).map { "\(try $0.sql(form)) AS \($1)" }
        let shown = zip(query.groupings, names).map { $0.key($1) }
        let partition =
            names.isEmpty ? "" : "PARTITION BY " + names.joined(separator: ", ")
        var inner =
            "SELECT " + (keys + ["\(column) AS v", "_rowid_ AS o"]).joined(separator: ", ")
            + " FROM \(SQLName.quote(form.table))"
            + (try sql.whereClause(query.conditions, also: ["\(column) IS NOT NULL"]))
        for (grouping, name) in zip(query.groupings, names) where grouping.isOfChoices {
            inner = RoomReader.apart(name, of: inner, with: names)
        }
        let text = """
            SELECT \((shown + ["avg(v)"]).joined(separator: ", ")) FROM (
                SELECT *, row_number() OVER (\(partition) ORDER BY v) AS r,
                    count(*) OVER (\(partition)) AS n FROM (\(inner)))
            WHERE r IN ((n + 1) / 2, (n + 2) / 2)
            """ + (names.isEmpty ? "" : " GROUP BY " + names.joined(separator: ", "))
        let statement = try database.prepare(text)
        try statement.bind(sql.values.all)
        var medians: [[FieldValue]: Double] = [:]
        let next = Int32(names.count)
        while try statement.step() {
            guard !statement.isNull(next) else { continue }
            let key = names.indices.map { FieldValue(statement.value(Int32($0))) }
            medians[key] = statement.real(next)
        }
        for index in groups.indices { groups[index].median = medians[groups[index].keys] }
    }

    /// A row for each of several choices, which stand in one column with spaces between them.
    private static func apart(_ name: String, of rows: String, with names: [String]) -> String {
        let columns = names.map { $0 == name ? "e.value AS \($0)" : $0 } + ["v", "o"]
        return """
            SELECT DISTINCT \(columns.joined(separator: ", ")) FROM (\(rows)),
                json_each(CASE WHEN \(name) IS NULL THEN '[null]'
                    ELSE '[' || replace(json_quote(\(name)), ' ', '","') || ']' END) AS e
            WHERE e.value IS NOT ''
            """
    }
}

extension FigureQuery.Grouping {
    /// What rows are grouped by: of authors the number, as each has one.
    ///
    /// - Throws: `StoreError.unknownField`.
    fileprivate func sql(_ form: FormInfo) throws -> String {
        switch self {
        case .value(.author): return "_author"
        case .value(let subject), .choices(let subject):
            return try RecordSQL.column(subject, form)
        case .period(let subject, let period):
            let column = try RecordSQL.column(subject, form)
            let day =
                subject == .created || subject == .updated
                ? "date(\(column) / 1000, 'unixepoch', 'localtime')" : "substr(\(column), 1, 10)"
            switch period {
            case .day: return day
            case .week: return "date(\(day), 'weekday 0', '-6 days')"
            case .month: return "substr(\(day), 1, 7) || '-01'"
            }
        }
    }
}

extension FigureQuery.Grouping {
    /// Whether a record is in as many groups as it has choices.
    fileprivate var isOfChoices: Bool { if case .choices = self { true } else { false } }

    /// A group's key, of the column that rows were grouped by.
    fileprivate func key(_ column: String) -> String {
        self == .value(.author) ? DeviceTable.authorID(column) : column
    }
}

extension RecordQuery.Subject {
    /// Whether it has numbers.
    package func isNumber(in form: FormInfo) -> Bool {
        if case .number = self { return true }
        guard case .column(let name) = self,
            let column = form.columns.first(where: { $0.name == name })
        else { return false }
        return column.field.type == .integer || column.field.type == .decimal
    }
}

/// In the order of texts and numbers, absent first: for lists that are alike on every device.
extension FieldValue {
    fileprivate static func isOrdered(_ a: FieldValue, _ b: FieldValue) -> Bool? {
        switch (a, b) {
        case (.absent, .absent): nil
        case (.absent, _): true
        case (_, .absent): false
        case (.text(let a), .text(let b)): a == b ? nil : a < b
        case (.text, _): false
        case (_, .text): true
        default: a.number == b.number ? nil : a.number < b.number
        }
    }

    private var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .decimal(let number): number
        case .absent, .text: 0
        }
    }
}

private func < (a: [FieldValue], b: [FieldValue]) -> Bool {
    for (one, other) in zip(a, b) {
        if let order = FieldValue.isOrdered(one, other) { return order }
    }
    return a.count < b.count
}

private func < (a: (Int, [FieldValue]), b: (Int, [FieldValue])) -> Bool {
    a.0 == b.0 ? a.1 < b.1 : a.0 < b.0
}
