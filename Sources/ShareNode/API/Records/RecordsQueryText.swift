import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Reads `where`, `sort` and `limit` of a request.
struct RecordsQueryText {
    let schema: FormSchema
    /// Who may be named in short.
    let devices: [DeviceKey]

    func query(_ fields: HTTPFields) throws -> RecordQuery {
        var query = RecordQuery()
        query.conditions = try fields.values(of: "where").map(condition)
        if let sort = fields["sort"] {
            query.isDescending = sort.hasPrefix("-")
            query.sort = try subject(query.isDescending ? String(sort.dropFirst()) : sort).subject
        }
        if let limit = fields["limit"] {
            guard let number = Int(limit), number >= 0 else {
                throw Problem(
                    .badRequest, "limit is not a number: \"\(limit.prefix(80))\"",
                    hint: "Give a whole number from 0 up.")
            }
            query.limit = number
        }
        return query
    }

    private func condition(_ text: String) throws -> RecordQuery.Condition {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw Problem(
                .badRequest, "where is not FIELD=VALUE: \"\(text.prefix(80))\"",
                hint: "For instance where=Virus_Name=Chickenpox.")
        }
        let (subject, index) = try subject(String(text[..<equals]))
        let typed = String(text[text.index(after: equals)...])
        return RecordQuery.Condition(
            subject, equals: typed.isEmpty ? .absent : try value(typed, of: subject, index))
    }

    /// What a name means, and its index in `form.stored` if it is a field of the form.
    private func subject(_ name: String) throws -> (subject: RecordQuery.Subject, index: Int?) {
        switch name {
        case "_id": return (.id, nil)
        case "_author": return (.author, nil)
        case "_created": return (.created, nil)
        case "_updated": return (.updated, nil)
        case "_state": return (.state, nil)
        default: break
        }
        do throws(ValueError) {
            let index = try schema.parser.position(of: name)
            return (.column(schema.info.columns[index].name), index)
        } catch {
            // A field that the form no longer has keeps its column.
            let gone = schema.info.columns.dropFirst(schema.form.stored.count)
            guard let column = gone.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw error
            }
            return (.column(column.name), nil)
        }
    }

    private func value(
        _ text: String, of subject: RecordQuery.Subject, _ index: Int?
    ) throws -> FieldValue {
        if let index { return try schema.parser.value(text, at: index) }
        switch subject {
        case .id:
            guard let id = RecordID(text: text) else {
                throw malformed("_id", "the full id of a record", text)
            }
            return .text(id.text)
        case .author:
            if let key = DeviceKey(text: text) { return .text(key.text) }
            let meant = devices.filter { DeviceText.matches(text, $0) }
            guard let key = meant.first, meant.count == 1 else {
                throw Problem(
                    meant.isEmpty ? .notFoundMember : .ambiguousID,
                    "_author: \(meant.isEmpty ? "no device" : "\(meant.count) devices") of the room"
                        + " with the id \"\(text.prefix(80))\"",
                    hint: "See `shared members --all`; the first 8 characters of an id do.")
            }
            return .text(key.text)
        case .created, .updated:
            guard let time = RecordTimestamp.milliseconds(text) else {
                throw malformed(
                    subject == .created ? "_created" : "_updated",
                    "a time such as 2026-11-21T09:30:00.000Z", text)
            }
            return .integer(time)
        case .state:
            guard let state = ReviewState(typed: text) else {
                let known = ReviewState.allCases.map(\.rawValue)
                throw Problem(
                    .badRequest, "no review state \"\(text.prefix(80))\"",
                    hint: Suggestion.hint(
                        for: text, among: known,
                        otherwise: "There are " + known.joined(separator: ", ")
                            + "; and _state= finds what nobody has reviewed."))
            }
            return .text(state.rawValue)
        case .column(let name):
            switch schema.info.columns.first(where: { $0.name == name })?.field.type {
            case .integer:
                guard let number = Int64(text) else { throw wrong(name, "a whole number", text) }
                return .integer(number)
            case .decimal:
                guard let number = Double(text) else { throw wrong(name, "a number", text) }
                return .decimal(number)
            default: return .text(text)
            }
        }
    }

    /// What no form could make right, unlike `wrong`.
    private func malformed(_ name: String, _ wanted: String, _ text: String) -> Problem {
        Problem(
            .badRequest, "\(name) wants \(wanted), got \"\(text.prefix(80))\"",
            hint: "As `shared list FORM --json` shows it.")
    }

    private func wrong(_ name: String, _ wanted: String, _ text: String) -> Problem {
        Problem(.wrongType, "\(name) wants \(wanted), got \"\(text.prefix(80))\"")
    }
}

/// What a request says of the part of a list that it wants.
enum RecordsPageText {
    /// What nobody can ask for more than in one answer.
    private static let longest = 10_000

    /// - Throws: `Problem` for what is no number of records.
    static func limit(_ query: HTTPFields, otherwise limit: Int) throws -> Int {
        guard let text = query["limit"] else { return limit }
        guard let number = Int(text), (1...longest).contains(number) else {
            throw Problem(
                .badRequest, "limit is a number from 1 to \(longest), not \"\(text.prefix(40))\"",
                hint: "Ask for less at a time.")
        }
        return number
    }

    /// The record behind which a page begins; nil for the first page.
    ///
    /// - Throws: `Problem` for what no page ended with.
    static func after(_ query: HTTPFields) throws -> RecordName? {
        guard let text = query["after"] else { return nil }
        let parts = text.split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let id = RecordID(text: String(parts[0])),
            let creator = DeviceKey(text: String(parts[1]))
        else {
            throw Problem(
                .badRequest, "after is no position in this list",
                hint: "Take it from the page before: ID@DEVICE@FORM.")
        }
        return RecordName(form: String(parts[2]), creator: creator, id: id)
    }

    /// The place behind a record.
    static func text(_ record: RecordName) -> String {
        "\(record.id.text)@\(record.creator.text)@\(record.form)"
    }
}
