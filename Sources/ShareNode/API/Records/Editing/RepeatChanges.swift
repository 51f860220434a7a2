import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Puts together what an entry with its repeats becomes: operations of one transaction.
struct RepeatChanges {
    let own: DeviceKey
    let wall: UInt64
    let role: Role
    var all: [LocalChange] = []
    /// What has become of rows that were there, as people read it.
    private(set) var shown: [ShownChange] = []
    /// How many rows of which repeat go.
    private(set) var gone: [(path: String, count: Int)] = []
    /// Rows of other devices that would have to follow, and that this one may not change or delete.
    private(set) var left: [(path: String, count: Int, isWanted: Bool)] = []
    /// The answers in rows of which a conflict is resolved: `kid[1]/age`.
    private(set) var resolvedPaths: [String] = []
    /// The fields in conflict of rows that have any.
    private let conflicts: [RecordName: [RecordField]]
    private var ids = RecordIDSource()

    /// Changes that are told one by one.
    private static let mostShown = 100

    init(
        own: DeviceKey, wall: UInt64, role: Role, kept: [(path: String, count: Int)] = [],
        conflicts: [RecordName: [RecordField]] = [:]
    ) {
        self.own = own
        left = kept.map { ($0.path, $0.count, false) }
        self.conflicts = conflicts
        self.wall = wall
        self.role = role
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

    /// Makes the rows of an entry's repeats those that a request names: the list is all of them, each
    /// with its place among those that there are; those that are not named are deleted.
    ///
    /// - Parameter present: the rows as they are, for each repeat of the form.
    /// - Returns: the names of the repeats in which anything is another now.
    mutating func edit(
        _ entry: EntryValues, of record: RecordName, _ present: [[RecordRow]],
        _ schema: FormSchema
    ) throws -> [String] {
        try edit(entry, of: record, present, schema, Around())
    }

    /// What lies around rows, as it is shown.
    private struct Around {
        var path = ""
        var label = ""
    }

    private mutating func edit(
        _ entry: EntryValues, of record: RecordName, _ present: [[RecordRow]],
        _ schema: FormSchema, _ around: Around
    ) throws -> [String] {
        var changed: [String] = []
        for (index, rows) in entry.repeats {
            let before = all.count
            try edit(
                rows, of: ParentName(record), present[index], schema.repeats[index], around)
            if all.count > before { changed.append(schema.repeats[index].info.name) }
        }
        return changed
    }

    private mutating func edit(
        _ rows: [EntryValues.Row], of parent: ParentName, _ present: [RecordRow],
        _ schema: FormSchema, _ around: Around
    ) throws {
        let name = schema.info.name
        for (position, row) in rows.enumerated() where row.id != nil && row.place == nil {
            throw EntryValues.Row.missing("\(name)[\(position + 1)]")
        }
        let kept = Set(rows.compactMap(\.place))
        let unnamed = present.indices.filter { !kept.contains($0) }.map { present[$0] }
        var behind = 0
        // A row that keeps its order keeps its number, so that who deletes one changes no other.
        var last: Int64 = 0
        let label = schema.form.title.text(in: nil, schema.form.defaultLanguage) ?? name
        for (position, row) in rows.enumerated() {
            let place = position + 1
            guard let known = row.place.map({ present[$0] }) else {
                // What the form counts in a row of another device is for that one to add.
                let isTheirs =
                    parent.creator != own && !RecordPermission.allows(role, .edit, own: false)
                if isTheirs, row.said.isEmpty, row.entry.repeats.isEmpty {
                    behind += 1
                    continue
                }
                last += 1
                try add([row.entry], to: parent, schema, from: Int(clamping: last))
                continue
            }
            if case .integer(let number)? = known.values.dropFirst().first, number > last {
                last = number
            } else {
                last += 1
            }
            let isWritten = try edit(
                row, known, at: last, schema,
                Around(
                    path: "\(around.path)\(name)[\(place)]/",
                    label: "\(around.label)\(label) \(place), "))
            if !isWritten { behind += 1 }
        }
        if behind > 0 { left.append((around.path + name, behind, true)) }
        // A form that asks for fewer takes away none that this device may not delete.
        let going = unnamed.filter { may(.delete, $0) }
        let staying = unnamed.count - going.count
        if staying > 0 { left.append((around.path + name, staying, false)) }
        for row in going {
            all.append(.delete(row.name))
            all += Self.deletions(of: row.repeats, by: own, as: role)
        }
        if !going.isEmpty { gone.append((around.path + name, going.count)) }
        let count = rows.count + staying
        if count != present.count {
            show(
                ShownChange(
                    field: around.path + name, label: around.label + label,
                    before: Self.rows(present.count), after: Self.rows(count)))
        }
    }

    /// `2 rows`; nothing for none.
    private static func rows(_ count: Int) -> String {
        count == 0 ? "" : EntryWords.rows(count)
    }

    private mutating func show(_ change: ShownChange) {
        if shown.count < Self.mostShown { shown.append(change) }
    }

    private func may(_ kind: RecordsBlock.Kind, _ row: RecordRow) -> Bool {
        RecordPermission.allows(role, kind, own: row.name.creator == own)
    }

    /// - Returns: False where something is computed anew in a row that this device may not change.
    private mutating func edit(
        _ wanted: EntryValues.Row, _ row: RecordRow, at number: Int64, _ schema: FormSchema,
        _ around: Around
    ) throws -> Bool {
        var values = wanted.entry.values
        values[1] = .integer(number)
        values[0] = nil
        let resolved = resolved(by: wanted, row, schema)
        var writes = values.filter {
            row.values[$0.key] != $0.value || resolved.contains($0.key)
        }.sorted { $0.key < $1.key }
            .map { LocalChange.FieldChange(field: $0.key, value: $0.value) }
        var isWritten = true
        if !may(.edit, row) {
            guard !writes.contains(where: { wanted.said.contains($0.field) }) else {
                // Who enters nothing has no rows of its own.
                try RecordsPermission(role).requireAdd()
                throw Problem(
                    .notAllowed,
                    "\(around.path.dropLast()) is another device's row: \(role.phrase) may change"
                        + " only rows of its own",
                    hint: "Ask its author, or an editor of the room.")
            }
            isWritten = !writes.contains { $0.field >= Answers.shift }
            writes = []
        }
        if !writes.isEmpty {
            all.append(.edit(row.name, definition: schema.info.definition, values: writes))
            resolvedPaths += resolved.sorted().map { around.path + schema.form.stored[$0].name }
        }
        for write in writes where write.field >= Answers.shift {
            let one = schema.shown(
                schema.info.columns[write.field].field, from: row.values[write.field],
                to: write.value)
            show(
                ShownChange(
                    field: around.path + one.field,
                    label: "\(around.label.dropLast(2)): \(one.label)", before: one.before,
                    after: one.after))
        }
        _ = try edit(wanted.entry, of: row.name, row.repeats, schema, around)
        return isWritten
    }

    /// The fields in conflict that a request decides: those that it gives a value, be it the one
    /// that shows, and with them what the form computes.
    private func resolved(
        by wanted: EntryValues.Row, _ row: RecordRow, _ schema: FormSchema
    ) -> Set<Int> {
        let inConflict = (conflicts[row.name] ?? []).compactMap { schema.index(of: $0) }
        guard inConflict.contains(where: wanted.said.contains) else { return [] }
        return Set(
            inConflict.filter { field in
                wanted.said.contains(field)
                    || schema.form.stored[field].expressions.calculation != nil
                        && wanted.entry.values[field] != nil
            })
    }

    /// What is left as it is, in words.
    var notes: [EntryWarning] {
        left.map { path, count, isWanted in
            let rows = count == 1 ? "1 row of another device" : "\(count) rows of other devices"
            let what =
                isWanted
                ? "not computed anew: only an editor may change \(count == 1 ? "it" : "them")"
                : "kept: only an editor may delete \(count == 1 ? "it" : "them")"
            return EntryWarning(path: path, message: "\(rows) in \(path): \(what)")
        }
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
