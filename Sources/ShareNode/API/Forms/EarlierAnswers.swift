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
    /// The conditions that look for the same among answers of earlier versions, each with the field
    /// that it is about: `members__integer=4` for `members=4`.
    ///
    /// - Parameter texts: conditions, as people gave them.
    func earlier(_ texts: [String]) -> [(field: String, old: String, new: String)] {
        texts.flatMap { text -> [(field: String, old: String, new: String)] in
            guard let parts = ShortCondition(text), !parts.value.isEmpty,
                let place = try? subject(parts.name).index
            else { return [] }
            return schema.earlier.filter { $0.place == place }.map { one in
                let name = schema.info.columns[one.column].name
                return (schema.form.stored[place].name, text, name + parts.sign.text + parts.value)
            }
        }
    }
}

extension FindService {
    /// Entries that a request does not find because they answer an earlier version.
    func earlier(
        _ fields: HTTPFields, of schema: FormSchema, in room: OpenRoom
    ) async throws -> [EarlierMatch] {
        let texts = fields.values(of: "where")
        guard !texts.isEmpty, !schema.earlier.isEmpty else { return [] }
        let text = try await conditionText(schema, in: room)
        var found: [EarlierMatch] = []
        for one in text.earlier(texts).prefix(Self.mostEarlier) {
            let changed = texts.map { $0 == one.old ? one.new : $0 }
            // What is no value of the earlier type is no earlier answer.
            guard let conditions = try? await text.conditions(fields, where: changed) else {
                continue
            }
            let reader = try await reader(
                of: room, isFlagged: conditions.contains { $0.readsFlags })
            let entries = try await reader.count(schema.info, where: conditions)
            guard entries > 0 else { continue }
            found.append(EarlierMatch(field: one.field, condition: one.new, entries: entries))
        }
        return found
    }

    private static let mostEarlier = 8
}
