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
        /// Whether it is none that is there, wherever it stands.
        var isNew = false
        /// The fields that the request itself names, once others stand beside them.
        var said: Set<Int> = []
        /// Where it stands among the rows that there are, once `whole` has looked; nil for a new one.
        var place: Int?
    }

    /// What becomes of some rows of a repeat; the others are left alone.
    struct Part: Sendable {
        let index: Int
        /// Without an id a new one.
        let rows: [Row]
        let gone: [RecordID]
    }

    /// By their index in `form.stored`.
    let values: [Int: FieldValue]
    /// All rows of each repeat of which a list is given, by its index in `FormSchema.repeats`.
    let repeats: [(index: Int, rows: [Row])]
    /// Of the repeats of which some rows are named.
    private(set) var parts: [Part] = []
    /// Answers to questions that are only asked, by their places in `Form.fields`: others may hang
    /// on them, and nothing is written of them.
    private(set) var asked: [Int: FieldValue] = [:]

    init(
        values: [Int: FieldValue], repeats: [(index: Int, rows: [Row])],
        asked: [Int: FieldValue] = [:]
    ) {
        self.values = values
        self.repeats = repeats
        self.asked = asked
    }

    static let nothing = EntryValues(values: [:], repeats: [])

    /// - Parameters:
    ///   - path: where it lies in an entry, with a slash behind it.
    ///   - present: the entry that it changes, or the row: choices that are not offered any more may
    ///     stay in it.
    ///   - unread: takes what cannot be read.
    /// - Throws: as `RecordsValues.read`; `Problem` of `bad_request` for a repeat that is no list
    ///   of objects.
    init(
        _ request: JSONObject, of schema: FormSchema, at path: String = "",
        keeping present: EntryCheck.Present? = nil, unread: inout [EntryFault]
    ) throws {
        var own = JSONObject()
        var repeats: [(index: Int, rows: [Row])] = []
        for member in request.members {
            guard let index = schema.repeat(named: member.key) else {
                do {
                    if let answer = try schema.asked.unstored(member.key, member.value) {
                        asked[answer.place] = answer.value
                        continue
                    }
                } catch let error as ValueError {
                    unread.append(EntryFault(error, at: path + (error.field ?? member.key)))
                    continue
                }
                own.members.append(member)
                continue
            }
            // Rows of an earlier version of the form are kept, and not changed.
            guard
                !path.isEmpty
                    || schema.form.repeats(in: []).contains(where: { $0.name == member.key })
            else {
                let error = ValueError.unknownField(
                    name: member.key, form: schema.info.formID, hint: "It is not asked any more.")
                unread.append(EntryFault(error, at: member.key))
                continue
            }
            guard !repeats.contains(where: { $0.index == index }),
                !parts.contains(where: { $0.index == index })
            else {
                throw Problem(
                    .badRequest, "\(member.key) is named twice", hint: "Give all its rows at once.")
            }
            let known = present?.rows.list(index) ?? []
            if case .object(let object) = member.value,
                let part = try Part(
                    object, index, path + member.key, schema.repeats[index], keeping: known,
                    unread: &unread)
            {
                parts.append(part)
                continue
            }
            repeats.append(
                (
                    index,
                    try Row.list(
                        member.value, path + member.key, schema.repeats[index], keeping: known,
                        unread: &unread)
                ))
        }
        values = try RecordsValues.read(
            own, of: schema, at: path, keeping: present?.values ?? [], unread: &unread)
        self.repeats = repeats
        try Self.requireRows(count)
    }

    /// The rows that it names, those in rows too.
    private var count: Int {
        (repeats.map(\.rows) + parts.map(\.rows)).joined()
            .reduce(0) { $0 + 1 + $1.entry.count }
    }

    /// - Throws: `Problem` of `too_large` for more rows than come with an entry.
    static func requireRows(_ count: Int) throws {
        guard count > FormLimits.rows else { return }
        throw Problem(
            .tooLarge, "more than \(FormLimits.rows) rows in one entry",
            hint: "Make several entries of it, or import the rows from a file: `shared import"
                + " FORM/REPEAT FILE.csv`.")
    }

    /// Whether it says anything.
    var isEmpty: Bool {
        values.isEmpty && repeats.isEmpty && parts.isEmpty && asked.isEmpty
    }

    /// A row that it names and that is not there.
    struct Missing {
        let path: String
        let id: RecordID
        /// Whether it is only to go.
        let isGoing: Bool
    }

    /// The rows that it names and that are not there; nothing of what it says of rows in these.
    ///
    /// - Parameters:
    ///   - present: the rows as they are, of each repeat.
    ///   - path: where it lies in an entry, with a slash behind it.
    func missing(
        in present: [[RecordRow]], _ schema: FormSchema, at path: String = ""
    ) -> [Missing] {
        var missing: [Missing] = []
        func look(_ index: Int, _ rows: [Row], _ gone: [RecordID] = []) {
            let inner = schema.repeats[index]
            let name = path + inner.info.name
            let known = Dictionary(
                present.list(index).map { ($0.name.id, $0) }, uniquingKeysWith: { one, _ in one })
            for (position, row) in rows.enumerated() {
                guard let id = row.id else { continue }
                let own = "\(name)[\(position + 1)]"
                guard let there = known[id] else {
                    missing.append(Missing(path: own, id: id, isGoing: false))
                    continue
                }
                missing += row.entry.missing(in: there.repeats, inner, at: own + "/")
            }
            missing += gone.filter { known[$0] == nil }.map {
                Missing(path: name, id: $0, isGoing: true)
            }
        }
        for (index, rows) in repeats { look(index, rows) }
        for part in parts { look(part.index, part.rows, part.gone) }
        return missing
    }

    /// The same with rows that it would take away and that have to stay.
    ///
    /// - Parameters:
    ///   - present: the rows as they are, of each repeat, among which each of its own has its place.
    ///   - kept: takes how many of which repeat these are.
    func keeping(
        in present: [[RecordRow]], _ schema: FormSchema, at path: String = "",
        where stays: (RecordRow) -> Bool, kept: (_ path: String, _ count: Int) -> Void
    ) -> EntryValues {
        let all = repeats.map { index, rows -> (index: Int, rows: [Row]) in
            let known = present.list(index)
            let name = path + schema.repeats[index].info.name
            var all = rows.enumerated().map { position, row in
                guard let place = row.place else { return row }
                return Row(
                    id: row.id,
                    entry: row.entry.keeping(
                        in: known[place].repeats, schema.repeats[index],
                        at: "\(name)[\(position + 1)]/", where: stays, kept: kept),
                    isNew: row.isNew, said: row.said, place: place)
            }
            let named = Set(rows.compactMap(\.place))
            let left = known.indices.filter { !named.contains($0) && stays(known[$0]) }
            for place in left {
                let next = all.firstIndex { $0.place.map { $0 > place } ?? true }
                all.insert(
                    Row(id: known[place].name.id, entry: .nothing, place: place),
                    at: next ?? all.endIndex)
            }
            if !left.isEmpty { kept(name, left.count) }
            return (index, all)
        }
        return EntryValues(values: values, repeats: all, asked: asked)
    }

    /// The same with all rows of an entry, where it names some of them, each with its place there.
    ///
    /// - Parameter present: the rows as they are, of each repeat: all that it names and does not take
    ///   away are there.
    func whole(in present: [[RecordRow]], _ schema: FormSchema) -> EntryValues {
        func whole(_ index: Int, _ rows: [Row]) -> (index: Int, rows: [Row]) {
            let known = present.list(index)
            let places = RowPosition.all(of: rows.map(\.id), in: known.map(\.name.id))
            return (
                index,
                zip(rows, places).map { row, place in
                    let place = row.isNew ? nil : place
                    return Row(
                        id: row.id,
                        entry: row.entry.whole(
                            in: place.map { known[$0].repeats } ?? [], schema.repeats[index]),
                        isNew: row.isNew, place: place)
                }
            )
        }
        let lists = repeats.map { whole($0.index, $0.rows) }
        let others = parts.map { part in
            whole(
                part.index, part.all(of: present.list(part.index)))
        }
        return EntryValues(values: values, repeats: lists + others, asked: asked)
    }
}

extension EntryValues.Part {
    /// `{"change": [{"_id": ID, "FIELD": VALUE}], "delete": [ID]}`; nil for an object of anything
    /// else.
    fileprivate init?(
        _ object: JSONObject, _ index: Int, _ name: String, _ schema: FormSchema,
        keeping known: [RecordRow], unread: inout [EntryFault]
    ) throws {
        guard !object.members.isEmpty,
            object.members.allSatisfy({ ["change", "delete"].contains($0.key) })
        else { return nil }
        self.index = index
        rows = try EntryValues.Row.list(
            object["change"] ?? .null, name, schema, keeping: known, isWhole: false,
            unread: &unread
        ).map { row in
            EntryValues.Row(id: row.id, entry: row.entry, isNew: row.id == nil)
        }
        gone = try (object["delete"]?.array ?? []).map { id in
            guard let id = id.string.flatMap({ RecordID(text: $0) }) else {
                throw Problem(
                    .badRequest, "\(name): an _id to delete is none",
                    hint: "Give it as `show` does: {\"delete\": [\"ID\"]}.")
            }
            return id
        }
    }

    /// All rows of the repeat: those that are there, as far as they stay, and new ones.
    fileprivate func all(of present: [RecordRow]) -> [EntryValues.Row] {
        let named = Dictionary(
            rows.compactMap { row in row.id.map { ($0, row) } },
            uniquingKeysWith: { first, _ in first })
        return present.map(\.name.id).filter { !gone.contains($0) }.map {
            named[$0] ?? EntryValues.Row(id: $0, entry: .nothing)
        } + rows.filter(\.isNew)
    }
}

extension EntryValues.Row {
    static func missing(_ name: String) -> Problem {
        Problem(
            .notFoundRecord, "\(name): no such row in the entry",
            hint: "See them: `shared show ID`; leave _id out for a new row.")
    }
}

extension EntryValues.Row {
    /// - Parameter isWhole: whether they are all rows of the repeat, and known by their places where
    ///   they do not say which they are.
    fileprivate static func list(
        _ json: JSONValue, _ name: String, _ schema: FormSchema, keeping known: [RecordRow],
        isWhole: Bool = true, unread: inout [EntryFault]
    ) throws -> [EntryValues.Row] {
        if json == .null { return [] }
        let list = Self.list(json)
        let objects = list?.compactMap(\.object)
        guard let objects, objects.count == list?.count else {
            throw Problem(
                .wrongType, "\(name) cannot be \(json.kind)",
                hint: "It is a list of objects, all rows: {\"\(name)\": [{\"FIELD\": VALUE}]}; or"
                    + " some of them: {\"change\": [{\"_id\": ID, \"FIELD\": VALUE}], \"delete\":"
                    + " [ID]}.")
        }
        var seen: Set<RecordID> = []
        let ids = try objects.enumerated().map { try id($1["_id"], name, $0) }
        let places = RowPosition.all(of: ids, in: isWhole ? known.map(\.name.id) : [])
        return try objects.enumerated().map { position, object in
            let id = ids[position]
            if let id, !seen.insert(id).inserted {
                throw Problem(
                    .badRequest, "\(name)[\(position + 1)]: a row of this _id stands before it",
                    hint: "Give each row once.")
            }
            // What an answer says of a row beside its fields may come back with it.
            var own = JSONObject()
            own.members = object.members.filter { !$0.key.hasPrefix("_") }
            let path = "\(name)[\(position + 1)]/"
            let there =
                places[position].map { known[$0] }
                ?? id.flatMap { id in known.first { $0.name.id == id } }
            return EntryValues.Row(
                id: id,
                entry: try EntryValues(
                    own, of: schema, at: path,
                    keeping: there.map { EntryCheck.Present(values: $0.values, rows: $0.repeats) },
                    unread: &unread))
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
