import Charts
import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Which entries are wanted, counts, and figures.
struct FindService: Sendable {
    let names: DeviceNames
    let schemas: SchemaCache
    let readers: RoomReaders
    let flags: FlagService
    let wall: @Sendable () -> UInt64

    // MARK: Which

    /// Reads what a request says of the entries that it wants.
    func conditionText(_ schema: FormSchema, in room: OpenRoom) async throws -> ConditionText {
        let devices = Array(try await room.store.view().standings.keys)
        let known = await names.known(devices)
        let reader = try await readers.reader(of: room)
        return ConditionText(
            schema: schema,
            devices: Dictionary(uniqueKeysWithValues: devices.map { ($0, known[$0] ?? "") }),
            now: Int64(wall())
        ) { condition in
            let any = RecordQuery(where: [condition], limit: 1)
            return try await !reader.records(schema.info, any).isEmpty
        }
    }

    /// The entries that a request wants, in its order.
    ///
    /// - Throws: `Problem`, `ValueError`.
    func query(
        _ fields: HTTPFields, of schema: FormSchema, in room: OpenRoom
    ) async throws -> RecordQuery {
        let text = try await conditionText(schema, in: room)
        var query = RecordQuery(where: try await text.conditions(fields))
        let sorts = fields.values(of: "sort").flatMap { $0.split(separator: ",") }
        guard sorts.count <= Self.mostOrders else {
            throw Problem(
                .badRequest, "entries are sorted by \(Self.mostOrders) fields at most",
                hint: "Leave some out.")
        }
        for sort in sorts {
            let isDescending = sort.hasPrefix("-")
            let name = String(isDescending ? sort.dropFirst() : sort)
            let subject = try text.subject(name).subject
            // Texts that are numbers stand behind the others, in the order of numbers.
            if case .column(let column) = subject, schema.info.hasTexts(column) {
                query.order.append(.init(.number(column), isDescending: isDescending))
            }
            query.order.append(.init(subject, isDescending: isDescending))
        }
        query.limit = try limit(fields)
        if let after = fields["after"] {
            let reader = try await readers.reader(of: room)
            query.after = try await reader.find(after, in: [schema.info])
        }
        return query
    }

    private static let mostOrders = 8

    /// How many entries a request wants at most; nil where it does not say.
    func limit(_ fields: HTTPFields) throws -> Int? {
        guard let limit = fields["limit"] else { return nil }
        guard let number = Int(limit), number >= 0 else {
            throw Problem(
                .badRequest, "limit is not a number: \"\(limit.prefix(80))\"",
                hint: "Give a whole number from 0 up.")
        }
        return number
    }

    /// A connection for a look at a room; one of its own where what forms have against entries is
    /// asked for: then all entries are looked at before.
    func reader(of room: OpenRoom, isFlagged: Bool) async throws -> RoomReader {
        guard isFlagged else { return try await readers.reader(of: room) }
        _ = try await flags.isUpToDate(room)
        return try RoomReader(path: room.store.path, hasFlags: true)
    }

    /// Whether entries are listed with what the form has against them: as far as that is known
    /// already, or, where it is asked for, when all entries have been looked at.
    func readsFlags(
        _ query: RecordQuery, of schema: FormSchema, in room: OpenRoom
    ) async throws -> Bool {
        if query.readsFlags {
            _ = try await flags.isUpToDate(room)
            return true
        }
        guard KeptEntryCheck.isNeeded(for: schema) else { return false }
        return await flags.isBegun(room.id)
    }

    // MARK: Counts

    /// Counts the entries of a form, by up to two fields or periods.
    func count(
        _ formID: String, in room: OpenRoom, _ fields: HTTPFields
    ) async throws -> FiguresAnswer {
        let schema = try await schemas.find(formID, in: room)
        let text = try await conditionText(schema, in: room)
        let period = try Self.period(fields)
        let by = try fields.values(of: "by").map { try grouping($0, period, text) }
        guard by.count <= 2 else {
            throw Problem(
                .badRequest, "entries are counted by two fields at most", hint: "Leave one out.")
        }
        try check(period, isUsedBy: by)
        let conditions = try await text.conditions(fields)
        let reader = try await reader(
            of: room,
            isFlagged: conditions.contains { $0.readsFlags }
                || by.contains { $0.grouping.readsFlags })
        let figures = try await reader.figures(
            schema.info, FigureQuery(where: conditions, by: by.map(\.grouping)))
        var answer = await answer(figures, schema, by, field: nil)
        let shown = schema.columns(fields) ?? []
        answer.earlier = try await earlier(
            fields, about: fields.values(of: "by") + shown, of: schema, in: room)
        answer.withheld = try await withheld(schema, where: conditions, reader)
        if figures.records == 0 { answer.alike = try await alike(fields, text, reader) }
        return answer
    }

    /// What finds entries that have a wanted text as a part, or in other letters, where none is
    /// written exactly so; nil where no condition wants a text, or nothing is alike.
    func alike(
        _ fields: HTTPFields, _ text: ConditionText, _ reader: RoomReader
    ) async throws -> AlikeMatch? {
        let texts = fields.values(of: "where")
        for index in texts.indices {
            guard let condition = text.part(of: texts[index]) else { continue }
            var changed = texts
            changed[index] = condition
            let conditions = try await text.conditions(fields, where: changed)
            guard !conditions.contains(where: \.readsFlags) else { return nil }
            let entries = try await reader.count(text.schema.info, where: conditions)
            if entries > 0 { return AlikeMatch(condition: condition, entries: entries) }
        }
        return nil
    }

    /// How many entries that are wanted are on this device alone, and in no figure; nil for none.
    func withheld(
        _ schema: FormSchema, where conditions: [RecordQuery.Condition], _ reader: RoomReader
    ) async throws -> Int? {
        let count = try await reader.countWithheld(schema.info, where: conditions)
        return count > 0 ? count : nil
    }

    /// A grouping with what it is called.
    struct Named: Sendable {
        let grouping: FigureQuery.Grouping
        let answer: GroupingAnswer
        /// The index in `form.stored` of a field of the form.
        let index: Int?

        /// Whether it puts entries together by a number.
        func isNumber(in form: FormInfo) -> Bool {
            if case .value(let subject) = grouping { subject.isNumber(in: form) } else { false }
        }
    }

    /// Refuses a period where nothing is a day.
    func check(_ period: FigureQuery.Period?, isUsedBy groupings: [Named]) throws {
        guard let period, groupings.allSatisfy({ $0.answer.period == nil }) else { return }
        let names = groupings.map(\.answer.name).joined(separator: ", ")
        throw Problem(
            .badRequest,
            names.isEmpty
                ? "--period puts days together, and no field is named"
                : "\(names) is no date: --period puts days together",
            hint: "Name a date, or _\(period.rawValue) for when entries were made.")
    }

    static func period(_ fields: HTTPFields) throws -> FigureQuery.Period? {
        guard let text = fields["period"] else { return nil }
        guard let period = FigureQuery.Period(rawValue: text) else {
            throw Problem(
                .badRequest, "no period \"\(text.prefix(40))\"",
                hint: "There are day, week and month.")
        }
        return period
    }

    /// What `_day`, `_week`, `_month`, `_author`, `_state` or a field puts together.
    func grouping(
        _ name: String, _ period: FigureQuery.Period?, _ text: ConditionText
    ) throws -> Named {
        let word = name.hasPrefix("_") ? String(name.dropFirst()) : name
        if let period = FigureQuery.Period(rawValue: word),
            word != name || (try? text.subject(name)) == nil
        {
            return Named(
                grouping: .period(.created, period),
                answer: GroupingAnswer(
                    name: name, label: period.rawValue, period: period.rawValue), index: nil)
        }
        let (subject, index) = try text.subject(name)
        switch subject {
        case .created, .updated:
            let period = period ?? .day
            return Named(
                grouping: .period(subject, period),
                answer: GroupingAnswer(
                    name: name, label: period.rawValue, period: period.rawValue), index: nil)
        case .id:
            throw Problem(
                .badRequest, "every entry has an _id of its own",
                hint: "Take a field, _author, _state or _day.")
        case .author, .state, .valid, .warnings, .sent, .reviewed:
            let label =
                switch subject {
                case .author: "device"
                case .state: "review"
                case .valid: "fits the form"
                case .sent: "sent"
                case .reviewed: "reviewed"
                default: "flagged"
                }
            return Named(
                grouping: .value(subject),
                answer: GroupingAnswer(name: name, label: label, period: nil), index: nil)
        case .column(let column), .number(let column), .clock(let column):
            let field = index.map { text.schema.form.stored[$0] }
            let type = text.schema.info.columns.first { $0.name == column }?.field.type
            let label = field.flatMap { $0.label.text(in: nil) } ?? name
            if let period, type == .date || type == .dateTime {
                return Named(
                    grouping: .period(subject, period),
                    answer: GroupingAnswer(name: name, label: label, period: period.rawValue),
                    index: nil)
            }
            return Named(
                grouping: field?.kind.isSeveral == true ? .choices(subject) : .value(subject),
                answer: GroupingAnswer(name: name, label: label, period: nil), index: index)
        }
    }

    /// Figures with labels in the place of stored values.
    func answer(
        _ figures: Figures, _ schema: FormSchema, _ by: [Named], field: FieldAnswer?
    ) async -> FiguresAnswer {
        var authors: [String: String] = [:]
        for (position, named) in by.enumerated() where named.grouping == .value(.author) {
            for group in figures.groups {
                guard case .text(let text) = group.keys[position], let key = DeviceKey(text: text)
                else { continue }
                if authors[text] == nil { authors[text] = await names.known(key) ?? key.short }
            }
        }
        // Two tablets may have one name.
        let times = Dictionary(authors.values.map { ($0, 1) }, uniquingKeysWith: +)
        for (text, name) in authors where times[name, default: 0] > 1 {
            if let key = DeviceKey(text: text) { authors[text] = "\(name) (\(key.short))" }
        }
        func key(_ value: FieldValue, _ named: Named) -> KeyAnswer {
            guard value != .absent else {
                let label =
                    switch named.grouping {
                    case .value(.state): "not reviewed"
                    case .value(.warnings): "not flagged"
                    default: ""
                    }
                return KeyAnswer(value: nil, label: label)
            }
            let text = value.plainText
            if named.grouping == .value(.warnings),
                let all = try? [EntryWarning](jsonText: text.utf8)
            {
                return KeyAnswer(value: text, label: all.map(\.line).joined(separator: "; "))
            }
            if let author = authors[text] { return KeyAnswer(value: text, label: author) }
            if case .period(_, .month) = named.grouping {
                return KeyAnswer(value: text, label: String(text.prefix(7)))
            }
            guard let index = named.index else { return KeyAnswer(value: text, label: text) }
            return KeyAnswer(value: text, label: schema.parser.label(value, at: index))
        }
        func answer(_ group: FigureGroup) -> GroupAnswer {
            var answer = GroupAnswer(
                keys: zip(group.keys, by).map { key($0, $1) }, entries: group.records)
            guard field != nil else { return answer }
            answer.n = group.n
            answer.sum = group.n == 0 ? nil : group.sum
            answer.mean = group.mean
            answer.min = group.least
            answer.max = group.greatest
            answer.median = group.median
            return answer
        }
        var whole = FiguresAnswer(
            form: schema.info.formID, title: schema.form.displayTitle(), entries: figures.records,
            by: by.map(\.answer), field: field, groups: figures.groups.map { answer($0) },
            more: figures.more, rest: figures.rest.map { answer($0) })
        whole.tellApart()
        if field != nil {
            whole.n = (figures.whole ?? figures.groups + (figures.rest.map { [$0] } ?? []))
                .reduce(0) { $0 + $1.n }
        }
        return whole
    }

    func field(_ name: String, _ index: Int?, _ schema: FormSchema) -> FieldAnswer {
        guard let index else { return FieldAnswer(name: name, label: name, unit: nil) }
        let field = schema.form.stored[index]
        return FieldAnswer(
            name: field.name, label: field.label.text(in: nil) ?? field.name, unit: field.unit)
    }
}

extension FiguresAnswer {
    /// Gives groups of one label the values that they have beside it: choices of two versions of
    /// a form.
    fileprivate mutating func tellApart() {
        for position in by.indices {
            var values: [String: Set<String>] = [:]
            for key in groups.map({ $0.keys[position] }) {
                values[key.label, default: []].insert(key.value ?? "")
            }
            for group in groups.indices {
                let key = groups[group].keys[position]
                guard let value = key.value, value != key.label,
                    values[key.label, default: []].count > 1
                else { continue }
                groups[group].keys[position].label = "\(key.label) (\(value))"
            }
        }
    }
}

extension FormInfo {
    fileprivate func hasTexts(_ column: String) -> Bool {
        columns.contains { $0.name == column && $0.field.type == .text }
    }
}

extension FieldValue {
    /// The stored value as text; empty where there is none.
    var plainText: String {
        switch self {
        case .absent: ""
        case .integer(let number): String(number)
        case .decimal(let number): NumberText.shortest(number)
        case .text(let text): text
        }
    }
}
