import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Answers to questions of earlier versions in whose place another one is asked now: under the same
/// name with another type, or under another name with the same label.
extension FormSchema {
    /// A column of such answers.
    struct Earlier {
        let column: Int
        let question: FormPast.Question
        /// The place in `form.stored` of what is asked now.
        let place: Int
    }

    var earlier: [Earlier] {
        info.columns.indices.dropFirst(form.stored.count).compactMap { column in
            guard let question = past(info.columns[column].field),
                let place = question.successor
            else { return nil }
            return Earlier(column: column, question: question, place: place)
        }
    }

    /// Puts the earlier answers of an entry beside the questions that have none now.
    ///
    /// - Parameter values: one for each of the form's columns.
    func addEarlier(
        _ values: [FieldValue], to fields: inout [EntryField], in language: String?
    ) {
        for one in earlier where values.indices.contains(one.column) {
            let shown = one.question.shown(
                values[one.column], in: [language, form.defaultLanguage])
            guard !shown.isEmpty,
                let index = fields.firstIndex(where: { $0.path == form.stored[one.place].name }),
                fields[index].value == .null
            else { continue }
            fields[index].earlier = EntryField.Earlier(
                version: one.question.version, value: shown)
        }
    }
}

extension ConditionText {
    /// What looks for the same among answers of an earlier version.
    struct EarlierSearch {
        /// The field that was asked for.
        let field: String
        /// `members__integer=4` for `members=4`.
        let condition: String
        /// All conditions of the request, with this one in its place.
        let texts: [String]
        /// The same for all answers, where these are of a type that the condition is none of.
        var otherwise: (condition: String, texts: [String])?
    }

    /// The searches among answers of earlier versions, for each condition that misses them. Who asks
    /// for entries with or without a value of a field is told of those that have an earlier one alone.
    ///
    /// - Parameters:
    ///   - texts: conditions, as people gave them.
    ///   - names: fields whose values are counted or shown.
    func earlier(_ texts: [String], about names: [String]) -> [EarlierSearch] {
        let missed = texts.indices.flatMap { index -> [EarlierSearch] in
            var others = texts
            others.remove(at: index)
            let parts = parts(texts[index])
            if parts?.isPlain != true, let names = fields(readBy: texts[index]) {
                return names.flatMap { answered($0, among: others) }
            }
            guard let parts else { return [] }
            return successors(parts.name).map { field, column in
                let isEmpty = parts.value.isEmpty
                let condition = column + (isEmpty ? "!=" : parts.sign.text + parts.value)
                var changed = texts
                changed[index] = condition
                if isEmpty { changed.append(field + "=") }
                // Who never gave an earlier answer has none that is another one.
                if parts.sign == .compare(.unequal), !isEmpty { changed.append(column + "!=") }
                return EarlierSearch(
                    field: field, condition: condition, texts: changed,
                    otherwise: (column + "!=", others + [column + "!=", field + "="]))
            }
        }
        return missed + names.flatMap { answered($0, among: texts) }
    }

    /// The searches for whoever has answered a field in an earlier version alone.
    private func answered(_ name: String, among texts: [String]) -> [EarlierSearch] {
        successors(name).map { field, column in
            EarlierSearch(
                field: field, condition: column + "!=",
                texts: texts + [column + "!=", field + "="])
        }
    }

    /// What is wrong with a condition in short, with the same one on answers of an earlier version
    /// where that can be asked.
    func withEarlier(_ error: any Error, _ parts: ShortCondition) async -> any Error {
        for (_, column) in successors(parts.name) {
            guard (try? await short(column, parts.sign, parts.value)) != nil else { continue }
            var problem = Problem(error)
            problem.hint =
                "Answers of an earlier version of the form: "
                + "'\(column)\(parts.sign.text)\(parts.value)'."
                + (problem.hint.map { " Of this one: \($0)" } ?? "")
            return problem
        }
        return error
    }

    /// The fields of an expression that an earlier version has other answers of; nil for what is
    /// none.
    private func fields(readBy text: String) -> [String]? {
        guard let expression = try? expression(text) else { return nil }
        let names = expression.read.compactMap { place -> String? in
            guard case .column(let column) = expression.subjects[place],
                let index = schema.info.columns.firstIndex(where: { $0.name == column })
            else { return nil }
            return schema.names[index]
        }
        return names.filter { !successors($0).isEmpty }
    }

    /// A field by its name, with each column of what was asked in its place; of one that is not
    /// asked any more, of another type.
    private func successors(_ name: String) -> [(field: String, column: String)] {
        guard let (subject, index) = try? subject(Self.unwrapped(name) ?? name) else { return [] }
        if let index {
            return schema.earlier.filter { $0.place == index }.map {
                (schema.form.stored[index].name, schema.info.columns[$0.column].name)
            }
        }
        guard case .column(let name) = subject,
            let own = schema.info.columns.first(where: { $0.name == name })
        else { return [] }
        return schema.info.columns.dropFirst(schema.form.stored.count).filter {
            $0.field.isNamed(like: own.field) && $0.name != name
        }.map { (name, $0.name) }
    }
}

extension FindService {
    /// Entries that a request does not find because they answer an earlier version.
    ///
    /// - Parameter names: fields whose values are counted or shown.
    func earlier(
        _ fields: HTTPFields, about names: [String] = [], of schema: FormSchema,
        in room: OpenRoom
    ) async throws -> [EarlierMatch]? {
        let texts = fields.values(of: "where")
        guard !(texts + names).isEmpty, !schema.earlierFields.isEmpty else { return nil }
        let text = try await conditionText(schema, in: room)
        var found: [EarlierMatch] = []
        for one in text.earlier(texts, about: names).prefix(Self.mostEarlier) {
            let lists = schema.info.lists
            let before = lists.failed
            var condition = one.condition
            let conditions: [RecordQuery.Condition]
            do {
                conditions = try await text.conditions(fields, where: one.texts)
            } catch  where error is Problem || error is ValueError {
                try lists.requireReading(since: before)
                guard let other = one.otherwise else { continue }
                condition = other.condition
                conditions = try await text.conditions(fields, where: other.texts)
            }
            guard !found.contains(where: { $0.condition == condition }) else { continue }
            let reader = try await reader(
                of: room, isFlagged: conditions.contains { $0.readsFlags })
            let entries = try await reader.count(schema.info, where: conditions)
            guard entries > 0 else { continue }
            found.append(
                EarlierMatch(field: one.field, condition: condition, entries: entries))
        }
        return found.isEmpty ? nil : found
    }

    private static let mostEarlier = 8
}
