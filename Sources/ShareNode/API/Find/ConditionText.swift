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
    /// Whether that is so of any entry.
    let isStored: (Condition) async throws -> Bool

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
        let texts = texts ?? fields.values(of: "where")
        guard texts.count <= ControlLimits.conditions else {
            throw Problem.tooManyConditions(texts.count)
        }
        for text in texts { conditions += try await condition(text) }
        // Of several devices, or states, an entry has one: any of them is meant.
        let authors = try fields.values(of: "author").flatMap { try self.authors($0) }
        if !authors.isEmpty { conditions.append(.anyOf(.author, authors)) }
        var states: [Condition] = []
        for text in fields.values(of: "state") {
            states += try await short("_state", .equal, text)
        }
        if !states.isEmpty { conditions.append(.either(states)) }
        if let since = fields["since"] {
            conditions.append(
                .compare(.updated, .greaterOrEqual, .integer(try self.since(since))))
        }
        return conditions
    }

    // MARK: One condition

    /// A condition in short has no spaces in its value, or the rest cannot be an expression.
    private func condition(_ text: String) async throws -> [Condition] {
        // A day alone: made on it.
        if DayRange(text, today: today) != nil {
            return try time(.created, "_created", .equal, text)
        }
        // One that there is not would be computed, and be true of all entries.
        if text.first?.isNumber == true, text.allSatisfy({ "0123456789-./:".contains($0) }) {
            throw Problem(
                .badRequest, "\(text.prefix(80)) is no day, and no condition",
                hint: DayRange.hint(for: text))
        }
        let parts = parts(text)
        if let parts = parts.map({ meant($0) }), parts.isPlain,
            (try? subject(parts.name)) != nil
        {
            return try await short(parts)
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
            return try await short(parts)
        }
        if let day = ShortCondition.day(in: text) {
            throw Problem(
                .badRequest, "\(day) would be a subtraction in: \(text.prefix(200))",
                hint: "Write date('\(day)').")
        }
        for comparison in expression.textComparisons { try check(comparison) }
        return [.expression(expression)]
    }

    /// The three parts of a condition in short; names may have spaces.
    func parts(_ text: String) -> ShortCondition? {
        ShortCondition(text) { (try? subject(Self.unwrapped($0) ?? $0)) != nil }
    }

    /// The name in `${name}`, as forms write it; nil for what is not written so.
    static func unwrapped(_ name: String) -> String? {
        name.hasPrefix("${") && name.hasSuffix("}") ? String(name.dropFirst(2).dropLast()) : nil
    }

    /// `name~ann` for `name=ann`, of a field that holds any text; nil for other conditions.
    func part(of text: String) -> String? {
        guard let parts = parts(text).map({ meant($0) }), parts.sign == .compare(.equal),
            !parts.value.isEmpty, let (subject, index) = try? subject(parts.name),
            case .column(let column) = subject, type(of: column) == .text,
            index.map({
                schema.form.stored[$0].kind.isChoice || schema.form.stored[$0].kind.isPlace
            })
                != true
        else { return nil }
        return "\(parts.name)~\(parts.unquoted?.value ?? parts.value)"
    }

    func expression(_ text: String) throws(FilterError) -> RecordExpression {
        let parser = schema.parser
        return try RecordExpression(text, of: schema.info, now: now) { choice, field in
            (try? parser.position(of: field)).flatMap { parser.label(ofChoice: choice, at: $0) }
        }
    }

    /// A condition in short that looks like more.
    private func meant(_ parts: ShortCondition) -> ShortCondition {
        // `${Date Egg}=2026-11-02`: a day alone would be computed.
        if let name = Self.unwrapped(parts.name), parts.isPlain,
            DayRange(parts.value, today: today) != nil, (try? subject(parts.value)) == nil
        {
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

    private func short(_ parts: ShortCondition) async throws -> [Condition] {
        do {
            return try await short(parts.name, parts.sign, parts.value)
        } catch  where error is Problem || error is ValueError {
            if let halfTyped = unfinished("\(parts.name)\(parts.sign.text)\(parts.value)") {
                throw halfTyped
            }
            throw await withEarlier(error, parts)
        }
    }

    func short(
        _ name: String, _ sign: ShortCondition.Sign, _ value: String
    ) async throws -> [Condition] {
        let (subject, index) = try subject(name)
        if sign == .compare(.equal), value.hasPrefix("=") {
            throw Problem(
                .badRequest, "\(name) is compared with one =, and not with two",
                hint: "Write \(name)=\(value.drop { "= ".contains($0) }.prefix(40)).")
        }
        try checkNoField(name, index, sign, value)
        let value = subject == .state && value == "none" ? "" : value
        switch subject {
        case .author:
            switch sign {
            case .compare(.equal): return [.anyOf(.author, try authors(value))]
            case .compare(.unequal):
                return try authors(value).map { .compare(.author, .unequal, .text($0)) }
            default: throw sense(sign, name, "_author=NAME")
            }
        case .created, .updated:
            guard case .compare(let comparison) = sign else { throw sense(sign, name, nil) }
            guard !value.isEmpty else {
                throw nothing(after: sign, name, "It wants a day or a time.")
            }
            return try time(subject, name, comparison, value)
        case .id, .state, .valid, .warnings, .sent, .reviewed, .column, .number, .clock: break
        }
        guard case .compare(let comparison) = sign else {
            return try await contains(subject, index, name, value)
        }
        if value.isEmpty {
            guard !comparison.isOrder else {
                guard type(of: subject) != nil else { throw sense(sign, name, "\(name)=VALUE") }
                throw nothing(
                    after: sign, name,
                    "Write a value there; \(name)= alone finds entries without one.")
            }
            return [.compare(subject, comparison, .absent)]
        }
        if case .column(let column) = subject, let type = type(of: column),
            type == .date || type == .dateTime || type == .time
        {
            if type != .date, let clock = try clock(value, name, comparison, type) {
                return within(.clock(column), comparison, clock.start, clock.end)
            }
            return try day(subject, name, comparison, value, type)
        }
        if comparison.isOrder {
            if case .column(let column) = subject, type(of: column) == .text {
                if let kind = index.map({ schema.form.stored[$0].kind }),
                    kind.isSeveral || kind.isPlace
                {
                    throw noOrder(name, comparison, kind.isPlace ? "places" : "choices", value)
                }
                let number = try number(value, index, name, comparison)
                return [.compare(.number(column), comparison, .decimal(number))]
            }
            if subject != .id, type(of: subject) == nil {
                throw sense(sign, name, "\(name)=VALUE")
            }
        }
        if let index, schema.form.stored[index].kind.isChoice, !comparison.isOrder {
            return try await choices(value, comparison, subject, index)
        }
        let wanted = try self.value(value, of: subject, index, name)
        if let index, case .decimal(let number) = wanted, !comparison.isOrder {
            // As in expressions: what differs in the last digits alone is equal.
            let digits = "\(number)"
            let name = schema.form.stored[index].name
            if !digits.contains("e") {
                return [.expression(try expression("${\(name)} \(comparison.rawValue) \(digits)"))]
            }
        }
        return [.compare(subject, comparison, wanted)]
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

    func type(of column: String) -> StorageType? {
        schema.info.columns.first { $0.name == column }?.field.type
    }

    func type(of subject: RecordQuery.Subject) -> StorageType? {
        if case .column(let column) = subject { type(of: column) } else { nil }
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
        let index: Int
        do throws(ValueError) {
            index = try schema.parser.position(of: name)
        } catch {
            // `author`, where no field is called so.
            guard let own = RecordQuery.Subject.own.first(where: { $0.name == "_\(name)" }) else {
                throw error
            }
            return (own.subject, nil)
        }
        return (.column(schema.info.columns[index].name), index)
    }
}
