import JSON
import ShareControl
import ShareCore
import ShareFormats
import ShareForms

/// Reads answers as requests have them, repeats inside each other, and writes them.
///
/// Beside the fields that are stored these are the questions that are only asked.
struct AskedFields: Sendable {
    /// The form, or a repeat.
    private final class Scope: Sendable {
        let fields: [Form.Field]
        let parser: ValueParser
        /// For each field of the parser its place in `fields`.
        let positions: [Int]
        let repeats: [(name: String, scope: Scope)]

        init(_ form: Form, _ fields: [Form.Field], in names: [String], _ lists: any ChoiceSource) {
            self.fields = fields
            positions = fields.indices.filter { fields[$0].kind.storage != nil }
            parser = ValueParser(form, fields: positions.map { fields[$0] }, lists: lists)
            repeats = form.repeats(in: names).map {
                ($0.name, Scope(form, $0.fields, in: $0.names, lists))
            }
        }

        init(_ other: Scope, toldIn language: String) {
            fields = other.fields
            parser = other.parser.told(in: language)
            positions = other.positions
            repeats = other.repeats.map { ($0.name, Scope($0.scope, toldIn: language)) }
        }
    }

    /// A value that could not be read.
    struct Unread {
        let path: String
        let json: JSONValue
        let error: ValueError

        /// Whether the form has no such field.
        var isDropped: Bool {
            switch error {
            case .unknownField, .notStored: true
            case .wrongType, .notAChoice, .severalChoices, .retired, .tooManyChoices, .required,
                .tooLong:
                false
            }
        }
    }

    private let form: Scope

    init(_ form: Form, lists: any ChoiceSource) {
        self.form = Scope(form, form.fields, in: [], lists)
    }

    private init(_ form: Scope) { self.form = form }

    /// The same that tells faults in a language of the form, where it has texts in it.
    func told(in language: String) -> AskedFields {
        AskedFields(Scope(form, toldIn: language))
    }

    /// The answer to a question that is only asked and not stored.
    ///
    /// - Returns: its place in `Form.fields` and the value; nil where there is no such question.
    /// - Throws: `ValueError`; `Problem` for what is no value.
    func unstored(_ name: String, _ json: JSONValue) throws -> (place: Int, value: FieldValue)? {
        guard let position = try? form.parser.position(of: name),
            case let place = form.positions[position], form.fields[place].storage == nil
        else { return nil }
        return (place, try RecordsValues.value(json, at: position, form.parser))
    }

    /// The answers that an object of a request has.
    ///
    /// - Parameters:
    ///   - base: the answers that these change: choices that are not offered any more may stay.
    ///   - unread: takes values that do not fit their field; where several choices are called so, a
    ///     placeholder stands for the answer.
    ///   - takesAll: whether it takes names that there are not as well; else they are thrown.
    /// - Throws: `ValueError` for a name that there is not; `Problem` for what is no value at all.
    func read(
        _ values: JSONObject, keeping base: Answers = Answers(), unread: inout [Unread],
        takesAll: Bool = false
    ) throws -> Answers {
        var count = 0
        return try read(values, form, "", base, takesAll, &unread, &count)
    }

    private func read(
        _ values: JSONObject, _ scope: Scope, _ path: String, _ base: Answers,
        _ takesAll: Bool, _ unread: inout [Unread], _ count: inout Int
    ) throws -> Answers {
        var answers = Answers(
            fields: [FieldValue?](repeating: nil, count: scope.fields.count),
            repeats: scope.repeats.map { _ in [] })
        for member in values.members {
            if let place = scope.repeats.firstIndex(where: { $0.name == member.key }) {
                guard
                    let rows = member.value == .null ? [] : EntryValues.Row.list(member.value)
                else {
                    throw Self.wrongKind(path + member.key, member.value, "a list of objects")
                }
                count += rows.count
                try EntryValues.requireRows(count)
                let known = base.repeats.list(place)
                let ids = rows.map { $0.object?["_id"]?.string.flatMap { RecordID(text: $0) } }
                let places = RowPosition.all(of: ids, in: known.map(\.row))
                for (index, row) in rows.enumerated() {
                    let inner = "\(path)\(member.key)[\(index + 1)]"
                    guard let object = row.object else {
                        throw Self.wrongKind(inner, row, "an object")
                    }
                    answers.repeats[place].append(
                        try read(
                            object, scope.repeats[place].scope, inner + "/",
                            places[index].map { known[$0] } ?? Answers(), takesAll, &unread,
                            &count))
                }
                continue
            }
            // What an answer says of a row beside its fields may come back with it.
            if !path.isEmpty, member.key.utf8.first == UInt8(ascii: "_") {
                if member.key == "_id" {
                    answers.row = member.value.string.flatMap { RecordID(text: $0) }
                }
                continue
            }
            let position: Int
            do throws(ValueError) {
                position = try scope.parser.position(of: member.key)
            } catch {
                guard takesAll else { throw error }
                unread.append(Unread(path: path + member.key, json: member.value, error: error))
                continue
            }
            let place = scope.positions[position]
            guard answers.fields[place] == nil else {
                throw Problem(
                    .badRequest, "field \(path)\(scope.fields[place].name) is named twice",
                    hint: "Give it once.")
            }
            do {
                answers.fields[place] = try RecordsValues.value(
                    member.value, at: position, scope.parser,
                    keeping: base.fields.indices.contains(place)
                        ? base.fields[place] ?? .absent : .absent)
            } catch let error as ValueError {
                if error.candidates != nil {
                    answers.fields[place] = .text(FillState.placeholder(unread.count))
                }
                unread.append(
                    Unread(path: path + scope.fields[place].name, json: member.value, error: error))
            }
        }
        return answers
    }

    private static func wrongKind(_ path: String, _ json: JSONValue, _ wanted: String) -> Problem {
        Problem(
            .wrongType, "field \(path) wants \(wanted), not \(json.kind)",
            hint: "A repeat is a list: [{\"FIELD\": VALUE}].")
    }

    /// Answers as an object: all that are there, and null where one was taken away that a new
    /// entry would have of itself.
    func json(_ answers: Answers) -> JSONObject { json(answers, form) }

    private func json(_ answers: Answers, _ scope: Scope) -> JSONObject {
        var object = JSONObject()
        if let row = answers.row { object["_id"] = .string(row.text) }
        for (place, field) in scope.fields.enumerated() where field.kind.storage != nil {
            guard answers.fields.indices.contains(place), let value = answers.fields[place] else {
                continue
            }
            let isOwn = field.expressions.initial != nil || field.kind.isMetadata
            if value == .absent, !isOwn { continue }
            object.members.append(
                .init(
                    key: field.name,
                    value: RecordsValues.json(value, isSeveral: field.kind.isSeveral)))
        }
        for (place, inner) in scope.repeats.enumerated() {
            let rows = answers.repeats.indices.contains(place) ? answers.repeats[place] : []
            if rows.isEmpty { continue }
            object.members.append(
                .init(
                    key: inner.name,
                    value: .array(rows.map { .object(json($0, inner.scope)) })))
        }
        return object
    }
}
