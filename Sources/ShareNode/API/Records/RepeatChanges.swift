import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Puts together what an entry with its repeats becomes: operations of one transaction.
struct RepeatChanges {
    let own: DeviceKey
    let wall: UInt64
    var all: [LocalChange] = []
    private var ids = RecordIDSource()

    init(own: DeviceKey, wall: UInt64) {
        self.own = own
        self.wall = wall
    }

    // MARK: New

    /// A new entry of a form, and its rows.
    ///
    /// - Throws: `ValueError` for what is missing or too large.
    mutating func add(_ entry: EntryValues, _ schema: FormSchema) throws {
        let values = schema.form.stored.indices.map { entry.values[$0] ?? .absent }
        try schema.parser.check(values)
        let fields = values.indices.filter { values[$0] != .absent }
        let id = ids.next(wall: WallTime(milliseconds: wall))
        all.append(
            .put(
                NewRows(
                    definition: schema.info.definition, fields: fields,
                    rows: [fields.map { values[$0] }], ids: [id])))
        let parent = ParentName(creator: own, id: id)
        for (index, rows) in entry.repeats {
            try add(rows.map(\.entry), to: parent, schema.repeats[index])
        }
    }

    /// New rows of one repeat, from a place on.
    private mutating func add(
        _ rows: [EntryValues], to parent: ParentName, _ schema: FormSchema, from first: Int = 1
    ) throws {
        guard !rows.isEmpty else { return }
        let name = FieldValue.text(parent.text)
        let filled = try rows.enumerated().map { position, row -> [FieldValue] in
            var values = schema.form.stored.indices.map { row.values[$0] ?? .absent }
            values[0] = name
            values[1] = .integer(Int64(first + position))
            do {
                try schema.parser.check(values)
            } catch let error as ValueError {
                let problem = error.problem
                throw Problem(
                    problem.code, "\(schema.info.name)[\(first + position)]: \(problem.detail)",
                    hint: problem.hint)
            }
            return values
        }
        let fields = schema.form.stored.indices.filter { field in
            filled.contains { $0[field] != .absent }
        }
        let made = rows.map { _ in ids.next(wall: WallTime(milliseconds: wall)) }
        all.append(
            .put(
                NewRows(
                    definition: schema.info.definition, fields: fields,
                    rows: filled.map { row in fields.map { row[$0] } }, ids: made)))
        for (id, row) in zip(made, rows) {
            for (index, inner) in row.repeats {
                try add(
                    inner.map(\.entry), to: ParentName(creator: own, id: id),
                    schema.repeats[index])
            }
        }
    }

    // MARK: Changed

    /// Makes the rows of an entry's repeats those that a request names: the list is all of them.
    /// A row is found by its `_id`, else by its place; those that are not named are deleted.
    ///
    /// - Parameter present: the rows as they are, for each repeat of the form.
    /// - Returns: the names of the repeats in which anything is another now.
    mutating func edit(
        _ entry: EntryValues, of record: RecordName, _ present: [[RecordRow]],
        _ schema: FormSchema
    ) throws -> [String] {
        var changed: [String] = []
        for (index, rows) in entry.repeats {
            let before = all.count
            try edit(
                rows, of: ParentName(record), present[index], schema.repeats[index])
            if all.count > before { changed.append(schema.repeats[index].info.name) }
        }
        return changed
    }

    private mutating func edit(
        _ rows: [EntryValues.Row], of parent: ParentName, _ present: [RecordRow],
        _ schema: FormSchema
    ) throws {
        let name = schema.info.name
        var left = Dictionary(
            present.map { ($0.name.id, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [RecordRow?] = try rows.enumerated().map { position, row in
            guard let id = row.id else { return nil }
            guard let known = left.removeValue(forKey: id) else {
                throw Problem(
                    .notFoundRecord, "\(name)[\(position + 1)]: no such row in the entry",
                    hint: "See them: `shared show ID`; leave _id out for a new row.")
            }
            return known
        }
        for (position, row) in rows.enumerated() where row.id == nil && position < present.count {
            found[position] = left.removeValue(forKey: present[position].name.id)
        }
        for (position, row) in rows.enumerated() {
            guard let known = found[position] else {
                try add([row.entry], to: parent, schema, from: position + 1)
                continue
            }
            try edit(row.entry, known, at: position + 1, schema)
        }
        for row in present where left[row.name.id] != nil {
            all.append(.delete(row.name))
            all += Self.deletions(of: row.repeats, by: own, as: .owner)
        }
    }

    private mutating func edit(
        _ entry: EntryValues, _ row: RecordRow, at place: Int, _ schema: FormSchema
    ) throws {
        var values = entry.values
        values[1] = .integer(Int64(place))
        values[0] = nil
        let writes = values.filter { row.values[$0.key] != $0.value }
            .sorted { $0.key < $1.key }
            .map { LocalChange.FieldChange(field: $0.key, value: $0.value) }
        if !writes.isEmpty {
            all.append(.edit(row.name, definition: schema.info.definition, values: writes))
        }
        _ = try edit(entry, of: row.name, row.repeats, schema)
    }

    // MARK: Gone

    /// Deletes the rows of an entry that goes: those that a role lets this device delete.
    static func deletions(
        of rows: [[RecordRow]], by own: DeviceKey, as role: Role
    ) -> [LocalChange] {
        rows.joined().flatMap { row -> [LocalChange] in
            let mine = role >= .editor || row.name.creator == own
            return (mine ? [.delete(row.name)] : []) + deletions(of: row.repeats, by: own, as: role)
        }
    }
}
