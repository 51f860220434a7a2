import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// The values of an entry as a request names them, with the rows of its repeats.
struct EntryValues: Sendable {
    /// One row of a repeat.
    struct Row: Sendable {
        /// The row that it is already; nil where the request does not say.
        let id: RecordID?
        let entry: EntryValues
    }

    /// By their index in `form.stored`.
    let values: [Int: FieldValue]
    /// The rows of each repeat that is named, by its index in `FormSchema.repeats`.
    let repeats: [(index: Int, rows: [Row])]

    init(values: [Int: FieldValue], repeats: [(index: Int, rows: [Row])]) {
        self.values = values
        self.repeats = repeats
    }

    /// - Parameters:
    ///   - path: where it lies in an entry, with a slash behind it.
    ///   - unread: takes what cannot be read.
    /// - Throws: as `RecordsValues.read`; `Problem` of `bad_request` for a repeat that is no list
    ///   of objects.
    init(
        _ request: JSONObject, of schema: FormSchema, at path: String = "",
        unread: inout [EntryFault]
    ) throws {
        var own = JSONObject()
        var repeats: [(index: Int, rows: [Row])] = []
        for member in request.members {
            guard let index = schema.repeat(named: member.key) else {
                own.members.append(member)
                continue
            }
            guard !repeats.contains(where: { $0.index == index }) else {
                throw Problem(
                    .badRequest, "\(member.key) is named twice", hint: "Give all its rows at once.")
            }
            repeats.append(
                (
                    index,
                    try Row.list(
                        member.value, path + member.key, schema.repeats[index], unread: &unread)
                ))
        }
        values = try RecordsValues.read(own, of: schema, at: path, unread: &unread)
        self.repeats = repeats
    }

    /// Whether it says anything.
    var isEmpty: Bool { values.isEmpty && repeats.isEmpty }
}

extension EntryValues.Row {
    fileprivate static func list(
        _ json: JSONValue, _ name: String, _ schema: FormSchema, unread: inout [EntryFault]
    ) throws -> [EntryValues.Row] {
        if json == .null { return [] }
        let list = Self.list(json)
        let objects = list?.compactMap(\.object)
        guard let objects, objects.count == list?.count else {
            throw Problem(
                .wrongType, "\(name) cannot be \(json.kind)",
                hint: "It is a list of objects: {\"\(name)\": [{\"FIELD\": VALUE}]}.")
        }
        guard objects.count <= FormLimits.repetitions else {
            throw Problem(
                .badRequest, "\(name) has more than \(FormLimits.repetitions) rows",
                hint: "Import them from a file: `shared import FORM/\(name) FILE.csv`.")
        }
        var seen: Set<RecordID> = []
        return try objects.enumerated().map { position, object in
            let id = try id(object["_id"], name, position)
            if let id, !seen.insert(id).inserted {
                throw Problem(
                    .badRequest, "\(name)[\(position + 1)]: a row of this _id stands before it",
                    hint: "Give each row once.")
            }
            // What an answer says of a row beside its fields may come back with it.
            var own = JSONObject()
            own.members = object.members.filter { !$0.key.hasPrefix("_") }
            let path = "\(name)[\(position + 1)]/"
            return EntryValues.Row(
                id: id, entry: try EntryValues(own, of: schema, at: path, unread: &unread))
        }
    }

    /// The rows that a value has, as they are or in JSON that somebody has typed.
    static func list(_ json: JSONValue) -> [JSONValue]? {
        guard case .string(let text) = json else { return json.array }
        return (try? JSONValue(text: Array(text.utf8)))?.array
    }

    private static func id(
        _ json: JSONValue?, _ name: String, _ position: Int
    ) throws -> RecordID? {
        switch json {
        case nil, .null: return nil
        case .string(let text):
            if let id = RecordID(text: text) { return id }
            fallthrough
        default:
            throw Problem(
                .badRequest, "\(name)[\(position + 1)]: its _id is none",
                hint: "Leave it as `show` gave it, or out for a new row.")
        }
    }
}
