import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Reads how people say which entries they want (docs/analysis.md): in short (`fever>39`,
/// `symptoms~cough`, `_created=today`), or in the language of forms.
struct ConditionText {
    let schema: FormSchema
    /// Who may be named, with what each calls itself.
    let devices: [DeviceKey: String]
    /// Milliseconds since 1970.
    let now: Int64
    /// Whether a field has this value in any entry.
    let isStored: (RecordQuery.Subject, FieldValue) async throws -> Bool

    typealias Condition = RecordQuery.Condition
    typealias Comparison = RecordQuery.Comparison

    /// All conditions of a request.
    ///
    /// - Parameter texts: those of `where`, where they are others.
    /// - Throws: `Problem`, `ValueError`.
    func conditions(
        _ fields: HTTPFields, where texts: [String]? = nil
    ) async throws -> [Condition] {
        var conditions: [Condition] = []
        for text in texts ?? fields.values(of: "where") { conditions += try await condition(text) }
        for text in fields.values(of: "author") { conditions.append(try author(text)) }
        for text in fields.values(of: "state") {
            conditions += try await short("_state", .equal, text == "none" ? "" : text)
        }
        if let since = fields["since"] {
            conditions += try time(.updated, "since", .greaterOrEqual, since)
        }
        return conditions
    }

    // MARK: One condition

    /// A condition in short has no spaces in its value, or the rest cannot be an expression.
    private func condition(_ text: String) async throws -> [Condition] {
        let parts = parts(text)
        if let parts = parts.map({ meant($0) }), parts.isPlain,
            (try? subject(parts.name)) != nil
        {
            return try await short(parts.name, parts.sign, parts.value)
        }
        let expression: RecordExpression
        do throws(FilterError) {
            expression = try self.expression(text)
        } catch {
            guard let parts else { throw problem(error, in: text) }
            guard (try? subject(parts.name)) != nil, !parts.looksLikeExpression else {
                if parts.isPlain, !parts.name.hasPrefix("${") { _ = try subject(parts.name) }
                throw problem(error, in: text)
            }
            return try await short(parts.name, parts.sign, parts.value)
        }
        if let day = ShortCondition.day(in: text) {
            throw Problem(
                .badRequest, "\(day) would be a subtraction in: \(text.prefix(200))",
                hint: "Write date('\(day)').")
        }
        if let name = expression.authors.first(where: { DeviceKey(text: $0) == nil }) {
            throw Problem(
                .badRequest,
                "_author is an id in an expression, and \"\(name.prefix(80))\" is none",
                hint:
                    "Give it as a condition of its own, beside the other: _author=\(name.prefix(80))"
            )
        }
        return [.expression(expression)]
    }

    /// The three parts of a condition in short; names may have spaces.
    func parts(_ text: String) -> ShortCondition? {
        ShortCondition(text) { name in
            let isQuoted = name.hasPrefix("${") && name.hasSuffix("}")
            return (try? subject(isQuoted ? String(name.dropFirst(2).dropLast()) : name)) != nil
        }
    }

    private func expression(_ text: String) throws(FilterError) -> RecordExpression {
        let parser = schema.parser
        return try RecordExpression(text, of: schema.info, now: now) { choice, field in
            (try? parser.position(of: field)).flatMap { parser.label(ofChoice: choice, at: $0) }
        }
    }

    /// A condition in short that looks like more.
    private func meant(_ parts: ShortCondition) -> ShortCondition {
        // `${Date Egg}=2026-11-02`: a day alone would be computed.
        if parts.name.hasPrefix("${"), parts.name.hasSuffix("}"), parts.isPlain,
            DayRange(parts.value, today: today) != nil, (try? subject(parts.value)) == nil
        {
            let name = String(parts.name.dropFirst(2).dropLast())
            return ShortCondition(name: name, sign: parts.sign, value: parts.value)
        }
        guard !parts.isPlain, let (subject, index) = try? subject(parts.name) else { return parts }
        switch subject {
        case .author, .created, .updated: return parts.unquoted ?? parts
        case .column:
            // A place, copied from a list, would be computed.
            guard let index, schema.form.stored[index].kind.isPlace,
                parts.value.allSatisfy({ "0123456789.,;- ".contains($0) })
            else { return parts }
            return ShortCondition(name: parts.name, sign: parts.sign, value: parts.value)
        default: return parts
        }
    }

    // MARK: In short

    private func short(
        _ name: String, _ sign: ShortCondition.Sign, _ value: String
    ) async throws -> [Condition] {
        let (subject, index) = try subject(name)
        switch subject {
        case .author:
            guard sign == .compare(.equal) else { throw sense(sign, name, "_author=NAME") }
            return [try author(value)]
        case .created, .updated:
            guard case .compare(let comparison) = sign else { throw sense(sign, name, nil) }
            return try time(subject, name, comparison, value)
        case .id, .state, .valid, .warnings, .sent, .column, .number: break
        }
        guard case .compare(let comparison) = sign else {
            return try contains(subject, index, name, value)
        }
        if value.isEmpty {
            guard comparison == .equal || comparison == .unequal else {
                throw sense(sign, name, "\(name)= for entries without a value")
            }
            return [.compare(subject, comparison, .absent)]
        }
        if case .column(let column) = subject, let type = type(of: column),
            type == .date || type == .dateTime
        {
            return try day(subject, name, comparison, value, isDate: type == .date)
        }
        if comparison.isOrder {
            if case .column(let column) = subject, type(of: column) == .text {
                let number = try number(value, index, name, comparison)
                return [.compare(.number(column), comparison, .decimal(number))]
            }
            if subject != .id, type(of: subject) == nil {
                throw sense(sign, name, "\(name)=VALUE")
            }
        }
        return [
            .compare(subject, comparison, try await self.value(value, of: subject, index, name))
        ]
    }

    /// One word as in `short`, for conditions that this program writes.
    private func short(
        _ name: String, _ comparison: Comparison, _ value: String
    ) async throws -> [Condition] {
        try await short(name, .compare(comparison), value)
    }

    private func sense(
        _ sign: ShortCondition.Sign, _ name: String, _ instead: String?
    ) -> Problem {
        Problem(
            .badRequest, "\(name) cannot be asked for with \(sign.text)",
            hint: instead.map { "Write \($0)." } ?? "Write \(name)=today, for instance.")
    }

    private func type(of column: String) -> StorageType? {
        schema.info.columns.first { $0.name == column }?.field.type
    }

    private func type(of subject: RecordQuery.Subject) -> StorageType? {
        if case .column(let column) = subject { type(of: column) } else { nil }
    }

    /// The number that texts are compared with, as forms do it: what spells no number is neither more
    /// nor less than one.
    private func number(
        _ text: String, _ index: Int?, _ name: String, _ comparison: Comparison
    ) throws -> Double {
        if let number = FieldValue.number(spelledBy: text) { return number }
        // The label of a choice whose name is a number.
        if let index, schema.form.stored[index].kind.isChoice,
            case .text(let choice)? = try? schema.parser.value(text, at: index),
            let number = FieldValue.number(spelledBy: choice)
        {
            return number
        }
        let day = DayRange(text, today: today).flatMap { CalendarText.text(ofDay: $0.start) }
        throw Problem(
            .wrongType, "\(name) holds texts: \(comparison.rawValue) compares numbers and dates",
            hint: day.map {
                "Where they are dates: \"date(${\(name)}) \(comparison.rawValue) date('\($0)')\"."
            } ?? "Write \(name)=\(text.prefix(40)), or \(name)~\(text.prefix(40)) for a part of it."
        )
    }

    private func value(
        _ text: String, of subject: RecordQuery.Subject, _ index: Int?, _ name: String
    ) async throws -> FieldValue {
        switch subject {
        case .id:
            guard let id = RecordID(text: text) else {
                throw Problem(
                    .badRequest, "_id wants the full id of an entry, got \"\(text.prefix(80))\"",
                    hint: "As `shared list FORM --json` shows it.")
            }
            return .text(id.text)
        case .state:
            if let state = ReviewState(typed: text) { return .text(state.rawValue) }
            if text == "withheld" { return .text(text) }
            let known = ReviewState.allCases.map(\.rawValue)
            throw Problem(
                .badRequest, "no review state \"\(text.prefix(80))\"",
                hint: Suggestion.hint(
                    for: text, among: known,
                    otherwise: "There are " + known.joined(separator: ", ")
                        + "; and _state= finds what nobody has reviewed."))
        case .valid:
            guard ["yes", "no"].contains(text) else {
                throw Problem(
                    .badRequest, "_valid is yes or no, got \"\(text.prefix(80))\"",
                    hint: "_valid=no finds entries that break their form.")
            }
            return .text(text)
        case .sent:
            guard ["yes", "no"].contains(text) else {
                throw Problem(
                    .badRequest, "_sent is yes or no, got \"\(text.prefix(80))\"",
                    hint: "_sent=no finds entries of which something was not sent yet.")
            }
            return .text(text)
        case .author, .created, .updated, .warnings, .number: return .text(text)
        case .column(let column):
            guard let index else { return try gone(text, column) }
            do throws(ValueError) {
                return try schema.parser.value(text, at: index)
            } catch {
                // Between whole numbers are others: age>17.5.
                if type(of: column) == .integer, let number = Double(text), number.isFinite {
                    return .decimal(number)
                }
                // What is stored is found, also where the form in force has no such choice.
                if let name = schema.parser.retired(text, at: index) { return .text(name) }
                guard schema.form.stored[index].kind.isChoice,
                    try await isStored(subject, .text(text))
                else { throw error }
                return .text(text)
            }
        }
    }

    /// The value of a field that the form no longer has.
    private func gone(_ text: String, _ column: String) throws -> FieldValue {
        func wrong(_ wanted: String) -> Problem {
            Problem(.wrongType, "\(column) wants \(wanted), got \"\(text.prefix(80))\"")
        }
        switch type(of: column) {
        case .integer:
            guard let number = Int64(text) else { throw wrong("a whole number") }
            return .integer(number)
        case .decimal:
            guard let number = Double(text) else { throw wrong("a number") }
            return .decimal(number)
        default: return .text(text)
        }
    }

    /// `FIELD~TEXT`: the choice, or the part of a text.
    private func contains(
        _ subject: RecordQuery.Subject, _ index: Int?, _ name: String, _ text: String
    ) throws -> [Condition] {
        if case .column(let column) = subject, let type = type(of: column), type != .text {
            throw Problem(
                .wrongType, "\(name) is no text: ~ looks for a part of a text",
                hint: "Write \(name)=\(text.prefix(40)), or \(name)>…")
        }
        guard !text.isEmpty else {
            throw Problem(.badRequest, "nothing stands after \(name)~", hint: "Write some text.")
        }
        guard let index, schema.form.stored[index].kind.isChoice else {
            return [.contains(subject, text)]
        }
        if schema.form.stored[index].kind.isSeveral {
            do throws(ValueError) {
                guard case .text(let names) = try schema.parser.value(text, at: index) else {
                    return [.contains(subject, text)]
                }
                return names.split(separator: " ").map { .chosen(subject, String($0)) }
            } catch {
                return [.contains(subject, text)]
            }
        }
        let meant = schema.parser.choices(
            containing: FoldedText.fold(text), at: index, limit: 1_001, fold: FoldedText.fold)
        guard !meant.isEmpty, meant.count <= 1_000 else { return [.contains(subject, text)] }
        return [.anyOf(subject, meant)]
    }

    private static let shortestID = 4

    private func author(_ text: String) throws -> Condition {
        let wanted = FoldedText.fold(text)
        let named = devices.filter { FoldedText.fold($0.value) == wanted }.keys.sorted()
        if !named.isEmpty { return .anyOf(.author, named.map(\.text)) }
        if let key = DeviceKey(text: text) { return .anyOf(.author, [key.text]) }
        // Fewer letters are a slip in a name, and begin some id.
        let isID = DeviceText.plain(text).utf8.count >= Self.shortestID
        let meant = isID ? devices.keys.filter { DeviceText.matches(text, $0) } : []
        if let key = meant.first, meant.count == 1, !text.isEmpty {
            return .anyOf(.author, [key.text])
        }
        throw Problem(
            meant.isEmpty || text.isEmpty ? .notFoundMember : .ambiguousID,
            meant.isEmpty || text.isEmpty
                ? "no device of the room is called \"\(text.prefix(80))\""
                : "\(meant.count) devices of the room have an id that begins so: "
                    + "\"\(text.prefix(80))\"",
            hint: Suggestion.hint(
                for: text, among: devices.values.sorted(),
                otherwise: "See `shared members --all`; the first 8 characters of an id do."))
    }

    // MARK: Times

    var today: Int { LocalTime.day(at: now) }

    private func time(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison, _ text: String
    ) throws -> [Condition] {
        if let exact = RecordTimestamp.milliseconds(text) {
            return [.compare(subject, comparison, .integer(exact))]
        }
        // 12:00 lasts until 12:01, as a day does until the next.
        if let moment = LocalTime.moment(text.split(separator: " ").joined(separator: "T")) {
            let length: Int64 = text.count { $0 == ":" } > 1 ? 1_000 : 60_000
            return try within(
                subject, name, comparison, .integer(moment), .integer(moment + length))
        }
        guard let range = DayRange(text, today: today) else {
            throw Problem(
                .badRequest, "\(name) wants a day or a time, got \"\(text.prefix(80))\"",
                hint: DayRange.hint)
        }
        return try within(
            subject, name, comparison, .integer(LocalTime.start(ofDay: range.start)),
            .integer(LocalTime.start(ofDay: range.end)))
    }

    private func day(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison, _ text: String,
        isDate: Bool
    ) throws -> [Condition] {
        guard let range = DayRange(text, today: today) else {
            if !isDate { return [.compare(subject, comparison, .text(text))] }
            throw Problem(
                .wrongType, "\(name) wants a date, got \"\(text.prefix(80))\"",
                hint: DayRange.hint)
        }
        func day(_ number: Int) -> FieldValue {
            .text(CalendarText.text(ofDay: number) ?? "9999-12-31")
        }
        return try within(subject, name, comparison, day(range.start), day(range.end))
    }

    /// How a value stands to days: `end` is the beginning of the first that is not meant.
    private func within(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison,
        _ start: FieldValue, _ end: FieldValue
    ) throws -> [Condition] {
        switch comparison {
        case .equal:
            [.compare(subject, .greaterOrEqual, start), .compare(subject, .less, end)]
        case .less: [.compare(subject, .less, start)]
        case .lessOrEqual: [.compare(subject, .less, end)]
        case .greater: [.compare(subject, .greaterOrEqual, end)]
        case .greaterOrEqual: [.compare(subject, .greaterOrEqual, start)]
        case .unequal:
            throw Problem(
                .badRequest, "\(name) cannot be asked for with !=",
                hint: "Write \(name)<DAY or \(name)>DAY.")
        }
    }

    // MARK: Names

    /// What a name means, and its index in `form.stored` if it is a field of the form.
    ///
    /// - Throws: `ValueError` with the nearest name.
    func subject(
        _ name: String
    ) throws(ValueError) -> (subject: RecordQuery.Subject, index: Int?) {
        if let own = RecordQuery.Subject.own.first(where: { $0.name == name }) {
            return (own.subject, nil)
        }
        // A field that the form no longer has keeps its column; its name comes before any label.
        if !schema.form.stored.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }),
            schema.earlierFields.contains(where: { $0.utf8.elementsEqual(name.utf8) })
        {
            return (.column(name), nil)
        }
        guard !name.hasPrefix("_") else {
            let isRemark = ["_comment", "_comments", "_review", "_reason"].contains(name)
            let own = RecordQuery.Subject.own.map(\.name)
            throw .unknownField(
                name: name, form: schema.info.formID,
                hint: isRemark
                    ? "What people say of entries stands below `shared list "
                        + "\(schema.info.formID) _state=hasIssues`, and in `shared show`."
                    : Suggestion.hint(for: name, among: own, otherwise: ""))
        }
        let index = try schema.parser.position(of: name)
        return (.column(schema.info.columns[index].name), index)
    }
}
