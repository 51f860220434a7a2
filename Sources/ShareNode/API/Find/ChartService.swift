import Charts
import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// What charts show: figures that SQLite has put together, never the entries themselves.
struct ChartService: Sendable {
    let find: FindService
    let wall: @Sendable () -> UInt64

    private enum Kind: String, CaseIterable {
        case pie, bar, line, histogram, points
    }

    private enum Aggregate: String, CaseIterable {
        case count, sum, mean, min, max, median
    }

    /// Answers for a chart of one field.
    ///
    /// - Throws: `Problem` where the field makes no such chart; `ValueError`.
    func chart(
        _ formID: String, in room: OpenRoom, _ fields: HTTPFields
    ) async throws -> ChartAnswer {
        let schema = try await find.schemas.find(formID, in: room)
        let text = try await find.conditionText(schema, in: room)
        let conditions = try await text.conditions(fields)
        let kind = try choice(fields["kind"] ?? "bar", "kind of chart", of: Kind.self)
        let aggregate = try choice(fields["agg"] ?? "count", "--agg", of: Aggregate.self)
        // A count by a field is the field's own.
        var fields = fields
        if fields["field"] == nil, aggregate == .count, let by = fields["by"] {
            let others = fields.all.filter { !HTTPFields.same($0.name, "by") }
            let more = fields.values(of: "by").dropFirst().map { HTTPFields.Field("by", $0) }
            fields = HTTPFields(others + more + [HTTPFields.Field("field", by)])
        }
        guard let name = fields["field"] else {
            throw Problem(
                .badRequest, "no field is named", hint: "See `shared form show FORM`.")
        }
        try refuseUnused(fields, kind, aggregate)
        let isGrouped = ([name] + fields.values(of: "by")).contains {
            (try? find.grouping($0, nil, text))?.grouping.readsFlags == true
        }
        let reader = try await find.reader(
            of: room, isFlagged: isGrouped || conditions.contains { $0.readsFlags })
        var subject = RecordQuery.Subject.created
        var index: Int?
        if !name.hasPrefix("_") { (subject, index) = try text.subject(name) }
        var answer = ChartAnswer(
            kind: kind.rawValue, field: find.field(name, index, schema),
            agg: aggregate.rawValue, entries: 0, form: schema.info.formID,
            title: schema.form.displayTitle(), room: room.name,
            time: RecordTimestamp.text(Int64(wall())))
        switch kind {
        case .histogram:
            subject = try await numbers(subject, index, schema, reader)
            guard subject.isNumber(in: schema.info) else {
                throw notANumber(answer.field, "a histogram")
            }
            answer.entries = try await reader.count(schema.info, where: conditions)
            let drawn =
                conditions + [
                    .compare(subject, .lessOrEqual, .decimal(Bins.greatest)),
                    .compare(subject, .greaterOrEqual, .decimal(-Bins.greatest)),
                ]
            let all = try await reader.figures(
                schema.info, FigureQuery(where: drawn, of: subject)
            ).groups.first
            answer.histogram = try await histogram(of: all, reader, schema, subject, drawn)
        case .points:
            guard await isPoint(subject, index, schema, in: room) else {
                throw Problem(
                    .wrongType, "\(name) holds no places", hint: "Take a geopoint field.")
            }
            let by = try colours(fields, text)
            let found = try await self.points(reader, schema, subject, by, conditions)
            answer.points = found.points
            // Also those without a place.
            answer.entries = try await reader.figures(
                schema.info, FigureQuery(where: conditions)
            ).records
            if let by {
                answer.figures = await find.answer(found.figures, schema, [by], field: nil)
            }
        case .pie, .bar, .line:
            let figures = try await grouped(
                name, kind, aggregate, fields, reader, text, conditions, answer.field)
            answer.entries = figures.entries
            answer.figures = figures
        }
        answer.earlier = try await find.earlier(
            fields, about: [name] + fields.values(of: "by"), of: schema, in: room)
        answer.withheld = try await find.withheld(schema, where: conditions, reader)
        return answer
    }

    /// Whether a subject is points, also of a field that only earlier versions of the form have.
    private func isPoint(
        _ subject: RecordQuery.Subject, _ index: Int?, _ schema: FormSchema, in room: OpenRoom
    ) async -> Bool {
        if let index { return schema.form.stored[index].kind == .geopoint }
        return await schema.earlierPlaces(in: room).contains {
            $0.kind == .geopoint && .column(schema.info.columns[$0.column].name) == subject
        }
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ what: String, of type: Choice.Type
    ) throws -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: text) { return choice }
        let known = Choice.allCases.map(\.rawValue)
        throw Problem(
            .badRequest, "no \(what) \"\(text.prefix(40))\"",
            hint: Suggestion.hint(
                for: text, among: known,
                otherwise: "There are " + known.joined(separator: ", ") + "."))
    }

    private func notANumber(_ field: FieldAnswer, _ what: String) -> Problem {
        Problem(
            .wrongType, "\(field.name) is no number: \(what) needs one",
            hint: "Count its values instead: `shared chart bar FORM \(field.name)`.")
    }

    /// Refuses options that a kind of chart would not use.
    private func refuseUnused(_ fields: HTTPFields, _ kind: Kind, _ aggregate: Aggregate) throws {
        func refuse(_ option: String, _ what: String, _ hint: String) throws {
            guard fields[option] != nil, option != "agg" || aggregate != .count else { return }
            throw Problem(.badRequest, "\(what) takes no --\(option)", hint: hint)
        }
        let field = (fields["field"] ?? "FIELD").prefix(40)
        switch kind {
        case .histogram, .points:
            let what = kind == .points ? "a map of points" : "a histogram"
            for option in ["by", "agg", "period", "along", "weight"]
            where kind != .points || option != "by" {
                try refuse(
                    option, what,
                    "Leave it out; a condition chooses entries, such as village=koro.")
            }
        case .pie, .bar, .line:
            guard aggregate == .count else { break }
            let what = "a chart of counts"
            try refuse(
                "along", what,
                "It goes along \(field) itself; with --agg mean along another: `shared help chart`."
            )
            if kind == .pie {
                try refuse("by", "a pie of counts", "Bars are divided: `shared chart bar FORM`.")
            }
        }
    }

    /// Texts that calculations have made of numbers, as numbers.
    private func numbers(
        _ subject: RecordQuery.Subject, _ index: Int?, _ schema: FormSchema, _ reader: RoomReader
    ) async throws -> RecordQuery.Subject {
        if let index, schema.form.stored[index].kind.isChoice { return subject }
        return try await reader.asNumbers(schema.info, subject)
    }

    /// Pie, bars, line. Alone, the field's values are the categories. With `--agg` its numbers are
    /// put together, by `--by` or in the course of time.
    private func grouped(
        _ name: String, _ kind: Kind, _ aggregate: Aggregate, _ fields: HTTPFields,
        _ reader: RoomReader, _ text: ConditionText, _ conditions: [RecordQuery.Condition],
        _ field: FieldAnswer
    ) async throws -> FiguresAnswer {
        let schema = text.schema
        let period = try FindService.period(fields)
        var by = fields.values(of: "by")
        guard by.count <= 1 else {
            throw Problem(
                .badRequest, "a chart has one --by",
                hint: "Leave one out, and choose its entries: '\(by[1])=...'; or count:"
                    + " `shared chart bar FORM \(by[0]) --by \(by[1])`.")
        }
        var groupings: [FindService.Named] = []
        var number: RecordQuery.Subject?
        // What goes along a date is in the order of time.
        let usual: FigureQuery.Period? = kind == .pie ? nil : .day
        if aggregate == .count {
            groupings.append(try find.grouping(name, period ?? usual, text))
            groupings += try by.map { try find.grouping($0, nil, text) }
            if kind == .line, groupings.count == 2,
                groupings[0].answer.period == nil,
                try find.grouping(by[0], .day, text).answer.period != nil
            {
                throw Problem(
                    .badRequest, "\(by[0]) is a time: no line for each of its values",
                    hint: "--agg mean of \(name) goes along it.")
            }
        } else {
            let (subject, index) = try text.subject(name)
            number = try await numbers(subject, index, schema, reader)
            guard number?.isNumber(in: schema.info) == true else {
                throw notANumber(field, "--agg \(aggregate.rawValue)")
            }
            var along = fields["along"]
            if kind == .line || period != nil || along != nil {
                // A number by a time goes along it.
                if along == nil, let only = by.first,
                    try find.grouping(only, .day, text).answer.period != nil
                {
                    along = only
                    by = []
                }
                groupings.append(try find.grouping(along ?? "_created", period ?? .day, text))
            }
            let period = groupings.isEmpty ? usual : nil
            groupings += try by.map { try find.grouping($0, period, text) }
        }
        try find.check(period, isUsedBy: groupings)
        let isAlongTime = kind == .line && groupings[0].answer.period != nil
        if kind == .line, !isAlongTime, !groupings[0].isNumber(in: schema.info) {
            throw Problem(
                .wrongType,
                "\(groupings[0].answer.name) is no date and no number: a line goes along one",
                hint:
                    "Bars tell of each value: `shared chart bar FORM \(groupings[0].answer.name)`.")
        }
        let isAdditive = aggregate == .count || aggregate == .sum
        let steps =
            kind == .line && isAdditive ? try steps(along: groupings[0], aggregate, schema) : nil
        var weight: RecordQuery.Subject?
        if let name = fields["weight"] {
            let subject = try text.subject(name).subject
            guard number != nil, aggregate == .mean, subject.isNumber(in: schema.info) else {
                throw Problem(
                    .badRequest, "a mean is weighted by a number",
                    hint: "For instance agg=mean and weight=credits.")
            }
            weight = subject
        }
        let limit = isAlongTime ? Self.mostPoints : RoomReader.mostGroups
        var figures = try await reader.figures(
            schema.info,
            FigureQuery(
                where: conditions, by: groupings.map(\.grouping), of: number, weight: weight,
                hasMedian: aggregate == .median), limit: limit)
        guard figures.more == 0 else {
            let names = groupings.map(\.answer.name)
            let what =
                names.count == 1
                ? "\(names[0]) has more than \(limit) different values"
                : "\(names[0]) and \(names[1]) make more than \(limit) groups"
            throw Problem(
                .badRequest, "\(what): no chart",
                hint: isAlongTime
                    ? "Take --period month, or choose some with --where."
                    : "Choose some with --where, or another field; numbers make a histogram.")
        }
        if let steps { figures = figures.with(steps.filled(figures.groups)) }
        var answer = await find.answer(
            figures, schema, groupings, field: number == nil ? nil : field)
        if kind == .line, number != nil {
            // A line goes along no entry without a date or number.
            answer.n = (figures.whole ?? figures.groups).filter { $0.keys.first != .absent }
                .reduce(0) { $0 + $1.n }
        }
        if steps != nil, aggregate == .sum {
            for index in answer.groups.indices {
                answer.groups[index].sum = answer.groups[index].sum ?? 0
            }
        }
        return answer
    }

    /// The steps of a line of counts or sums, which is at 0 at those where nothing was entered.
    ///
    /// - Throws: `Problem` for numbers between any two of which there are others.
    private func steps(
        along named: FindService.Named, _ aggregate: Aggregate, _ schema: FormSchema
    ) throws -> LineSteps {
        if case .period(_, let period) = named.grouping { return LineSteps(step: .period(period)) }
        let isWhole = schema.info.columns.contains {
            .value(.column($0.name)) == named.grouping && $0.field.type == .integer
        }
        guard isWhole else {
            throw Problem(
                .wrongType,
                "\(named.answer.name) is a decimal: between its values a "
                    + "\(aggregate.rawValue) is 0, and a line would join them",
                hint: "How often numbers of each size occur:"
                    + " `shared chart histogram \(schema.info.formID) \(named.answer.name)`.")
        }
        return LineSteps(step: .wholeNumber)
    }

    /// Groups of one line, and of several together.
    private static let mostPoints = 20_000

    private func histogram(
        of all: FigureGroup?, _ reader: RoomReader, _ schema: FormSchema,
        _ subject: RecordQuery.Subject, _ conditions: [RecordQuery.Condition]
    ) async throws -> HistogramAnswer? {
        guard let all, let least = all.least, let greatest = all.greatest else { return nil }
        let isWhole = schema.info.columns.contains {
            .column($0.name) == subject && $0.field.type == .integer
        }
        let bins = Bins(least, greatest, n: all.n, isWhole: isWhole)
        guard bins.count > 0 else { return nil }
        let counts = try await reader.bins(
            schema.info, of: subject, start: bins.start, width: bins.width, count: bins.count,
            where: conditions)
        return HistogramAnswer(
            min: least, max: greatest, n: all.n, isWhole: isWhole, start: bins.start,
            width: bins.width, counts: counts)
    }

    /// The grouping that colours points; nil for none.
    private func colours(
        _ fields: HTTPFields, _ text: ConditionText
    ) throws -> FindService.Named? {
        let by = fields.values(of: "by")
        guard let name = by.first else { return nil }
        guard by.count == 1 else {
            throw Problem(.badRequest, "a map has one --by", hint: "Leave one out.")
        }
        let named = try find.grouping(name, nil, text)
        guard case .choices = named.grouping else { return named }
        throw Problem(
            .wrongType, "\(named.answer.name) takes several choices, and a point has one colour",
            hint: "A condition chooses those with one of them, such as '\(named.answer.name)=...'.")
    }

    private func points(
        _ reader: RoomReader, _ schema: FormSchema, _ subject: RecordQuery.Subject,
        _ by: FindService.Named?, _ conditions: [RecordQuery.Condition]
    ) async throws -> (points: [PointAnswer], figures: Figures) {
        let grouping = by?.grouping
        let found = try await reader.perform { reader in
            var cells = PointCells()
            var places: [FieldValue: Int] = [:]
            var groups: [FigureGroup] = []
            var isTooMany = false
            try reader.texts(schema.info, of: subject, by: grouping, where: conditions) {
                let group = places[$1] ?? groups.count
                if group == groups.count {
                    isTooMany = group == RoomReader.mostGroups
                    guard !isTooMany else { return false }
                    places[$1] = group
                    groups.append(FigureGroup(keys: [$1], records: 0))
                }
                if cells.add($0, of: group) { groups[group].records += 1 }
                return true
            }
            return (points: cells.points, groups: groups, isTooMany: isTooMany)
        }
        guard !found.isTooMany else {
            throw Problem(
                .badRequest,
                "\(by?.answer.name ?? "") has more than \(RoomReader.mostGroups) different values: no map",
                hint: "Choose some with --where, or another field.")
        }
        var points = found.points
        if by == nil { for index in points.indices { points[index].group = nil } }
        return (points, Figures(found.groups))
    }
}
