import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// A row of a repeat with all that was done to it: a part of the history of its entry.
struct EntryPart: Sendable {
    let name: RecordName
    let schema: FormSchema
    let history: [RecordHistory]
    /// The rows of outer repeats that it lies in, outermost first.
    private(set) var around: [(schema: FormSchema, position: Int)] = []
    /// Its place among the rows of its entry or row as they are shown, from 1; of a deleted one its
    /// number.
    private(set) var position = 1

    /// Rows of one entry whose histories are told.
    static let limit = 1_000

    /// The rows of an entry, also deleted ones, up to a limit: in the order of the form and of their
    /// places, each before those in it.
    static func all(
        of entry: RecordName, _ schema: FormSchema, in store: isolated RoomStore,
        limit: Int = EntryPart.limit
    ) throws -> [EntryPart] {
        guard !schema.repeats.isEmpty else { return [] }
        var known: [String: FormSchema] = [:]
        func note(_ schema: FormSchema) {
            known[schema.info.formID] = schema
            for inner in schema.repeats { note(inner) }
        }
        note(schema)
        let parts = try store.allRows(of: entry, in: schema.info, limit: limit).compactMap {
            (name) -> EntryPart? in
            guard let schema = known[name.form] else { return nil }
            return EntryPart(name: name, schema: schema, history: try store.history(of: name))
        }
        let placed = try placed(parts, in: store)
        let byName = Dictionary(
            placed.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let slots = Dictionary(
            schema.form.repeats.enumerated().map { (schema.form.formID(of: $1), $0) },
            uniquingKeysWith: { first, _ in first })
        return placed.map { part in
            var part = part
            var inner = part
            var places = [part.place(slots)]
            while let outer = inner.parent.flatMap({ byName[$0] }) {
                part.around.insert((outer.schema, outer.position), at: 0)
                places.insert(outer.place(slots), at: 0)
                inner = outer
            }
            return (part, places)
        }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    /// Where a row stands in its entry or row: an order that is the same on every device.
    private struct RowOrder: Comparable {
        let slot: Int
        let form: String
        let position: Int
        let name: RecordName

        static func < (one: RowOrder, other: RowOrder) -> Bool {
            (one.slot, one.form, one.position, one.name.id, one.name.creator)
                < (other.slot, other.form, other.position, other.name.id, other.name.creator)
        }
    }

    /// - Parameter slots: the repeats of the form in its order; those that it has no more come last.
    private func place(_ slots: [String: Int]) -> RowOrder {
        RowOrder(
            slot: slots[name.form] ?? slots.count, form: name.form, position: position, name: name)
    }

    /// The parts with the places that they have.
    private static func placed(
        _ parts: [EntryPart], in store: isolated RoomStore
    ) throws -> [EntryPart] {
        struct Group: Hashable {
            let form: String
            let parent: RecordName?
        }
        var parts = parts
        var shown: [Group: [Int]] = [:]
        for index in parts.indices {
            parts[index].position = parts[index].number
            guard try !store.detail(of: parts[index].name).isDeleted else { continue }
            shown[Group(form: parts[index].name.form, parent: parts[index].parent), default: []]
                .append(index)
        }
        for group in shown.values {
            let ordered = group.sorted { one, other in
                let (one, other) = (parts[one], parts[other])
                return (one.number, one.name.id, one.name.creator)
                    < (other.number, other.name.id, other.name.creator)
            }
            for (place, index) in ordered.enumerated() { parts[index].position = place + 1 }
        }
        return parts
    }

    /// Whether others, or this device, have changed it since then, or put rows into it.
    func isChanged(since moment: Int64, _ parts: [EntryPart]) -> Bool {
        func later(_ part: EntryPart) -> Bool {
            part.history.contains {
                $0.at > moment && $0.refusal == nil
                    && $0.changes.contains { $0.field != FormDefinition.repeatFields[1] }
            }
        }
        return later(self)
            || parts.contains { $0.parent == name && $0.isChanged(since: moment, parts) }
    }

    /// What it has now in a field that each row of a repeat has.
    private func last(_ field: FormField) -> FieldValue? {
        history.flatMap(\.changes).last { $0.field == field }?.after
    }

    /// The entry or row that it belongs to; its form has one part less in its name, so that there
    /// is an end.
    var parent: RecordName? {
        RecordName(parent: last(FormDefinition.repeatFields[0]), ofRowsIn: name.form)
    }

    /// Its number, which gives the rows of an entry or row their order.
    private var number: Int {
        guard case .integer(let number)? = last(FormDefinition.repeatFields[1]) else { return 1 }
        return Int(clamping: number)
    }

    private static func label(_ schema: FormSchema, _ language: String?) -> String {
        schema.form.title.text(in: language, schema.form.defaultLanguage) ?? schema.info.name
    }

    /// What was done to the row, as a part of its entry.
    struct Operation {
        let version: OperationName
        let row: RecordID
        let author: DeviceKey
        let at: String
        let isVerified: Bool
        /// Those on the row that neither have seen it nor were seen by it.
        let parallel: [OperationName]
        let refused: String?
        let changed: JSONObject
        let shown: [ShownChange]
    }

    /// Its operations, oldest first.
    func operations(_ language: String?) -> [Operation] {
        let outerPath = around.map { "\($0.schema.info.name)[\($0.position)]/" }.joined()
        let outerLabel = around.map { "\(Self.label($0.schema, language)) \($0.position), " }
            .joined()
        let label = Self.label(schema, language)
        var values: [FormField: FieldValue] = [:]
        return history.compactMap { operation in
            for change in operation.changes {
                values[change.field] = change.after
                // A whole number and a decimal of one name are one number.
                switch change.field.type {
                case .integer: values[FormField(name: change.field.name, type: .decimal)] = nil
                case .decimal: values[FormField(name: change.field.name, type: .integer)] = nil
                default: break
                }
            }
            var changes = operation.changes
            if let deletion = operation.deletion, deletion.before != deletion.after {
                changes += values.map { field, value in
                    RecordHistory.Change(
                        field: field, before: deletion.after ? value : .absent,
                        after: deletion.after ? .absent : value)
                }
            }
            let own = changes.filter {
                !FormDefinition.repeatFields.contains($0.field) && $0.before != $0.after
            }.sorted { schema.order(of: $0.field) < schema.order(of: $1.field) }
            let isThere = operation.kind == .put || operation.deletion != nil
            guard !own.isEmpty || isThere else { return nil }
            var changed = JSONObject()
            var shown: [ShownChange] = []
            for change in own {
                let one = schema.shown(
                    change.field, from: change.before, to: change.after, in: language)
                let path = "\(outerPath)\(schema.info.name)[\(position)]/\(one.field)"
                changed[path] = .array([
                    schema.json(change.before, of: change.field),
                    schema.json(change.after, of: change.field),
                ])
                shown.append(
                    ShownChange(
                        field: path, label: "\(outerLabel)\(label) \(position): \(one.label)",
                        before: one.before, after: one.after))
            }
            return Operation(
                version: operation.version, row: name.id, author: operation.author,
                at: RecordTimestamp.text(operation.at), isVerified: operation.isVerified,
                parallel: operation.parallel, refused: operation.refusal?.rawValue,
                changed: changed, shown: shown)
        }
    }
}

/// The history of an entry with its rows: what one device did at one moment is one change.
struct EntryHistory {
    private struct Moment: Hashable {
        let author: String
        let at: String
        let refused: String?
    }

    private var all: [HistoryEntry]
    private var moments: [Moment: Int] = [:]
    /// What is named already in the changes of a position.
    private var named: [Int: Set<String>] = [:]
    /// Where each operation on a row stands, and beside which others.
    private var rows: [OperationName: (position: Int, parallel: [OperationName])] = [:]

    /// - Parameter own: what was done to the entry itself.
    init(_ own: [HistoryEntry]) {
        all = own
        for (position, entry) in own.enumerated() where !["review", "comment"].contains(entry.kind)
        {
            moments[Moment(author: entry.author, at: entry.at, refused: entry.refused)] = position
        }
    }

    mutating func add(_ operation: EntryPart.Operation, _ version: String, by name: String?) {
        let moment = Moment(
            author: operation.author.text, at: operation.at, refused: operation.refused)
        rows[operation.version] = (moments[moment] ?? all.count, operation.parallel)
        guard let position = moments[moment] else {
            moments[moment] = all.count
            named[all.count] = Set(operation.changed.members.map(\.key))
            all.append(
                HistoryEntry(
                    version: version, author: moment.author, authorName: name, at: moment.at,
                    kind: "edit", changed: operation.changed, shown: operation.shown,
                    verified: operation.isVerified, refused: operation.refused))
            return
        }
        for var member in operation.changed.members {
            // Another row had the place before: this one goes by its id.
            if !named[position, default: []].insert(member.key).inserted {
                member.key = Self.path(member.key, of: operation.row)
                guard named[position, default: []].insert(member.key).inserted else { continue }
            }
            all[position].changed.members.append(member)
        }
        all[position].shown += operation.shown
        all[position].verified = all[position].verified && operation.isVerified
    }

    /// `child[1]/mark[2]/colour` of another row than that at the second mark's place:
    /// `child[1]/mark[ID]/colour`.
    private static func path(_ path: String, of row: RecordID) -> String {
        guard let start = path.lastIndex(of: "["), let end = path.lastIndex(of: "]"), start < end
        else { return path }
        return "\(path[...start])\(row.text)\(path[end...])"
    }

    /// Oldest first.
    var entries: [HistoryEntry] {
        var all = all
        for (position, parallel) in rows.values {
            let others = parallel.compactMap { rows[$0]?.position }.filter { $0 != position }
            let beside = Set(all[position].parallel).union(others.map { all[$0].version })
            all[position].parallel = Array(beside.sorted().prefix(RecordHistory.maxParallel))
        }
        return all.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }
}
