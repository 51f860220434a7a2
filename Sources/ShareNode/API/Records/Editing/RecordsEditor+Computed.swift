import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// What the form works out of an entry after something was taken back in it, or a conflict resolved:
/// others may have changed it meanwhile, so that it is on no side what it comes to.
extension RecordsEditor {
    /// Lets an undo write also what the form makes of the answers that it leaves.
    ///
    /// - Parameters:
    ///   - change: what is taken back.
    ///   - parts: all rows of the entry, deleted ones too.
    func computeAnew(
        _ change: inout Change<UndoneAnswer>, of detail: RecordDetail, _ schema: FormSchema,
        _ parts: [EntryPart], in store: isolated RoomStore
    ) throws {
        guard change.answer.deleted == nil, !change.operations.isEmpty else { return }
        let made = try computed(
            detail, schema, parts, after: change.operations, in: store)
        change.operations = Self.joined(change.operations, made.operations)
        change.fields += made.fields
        change.answer.left.removeAll(where: made.fields.contains)
        change.answer.changes.removeAll { made.fields.contains($0.field) }
        change.answer.changes += made.shown
    }

    /// Operations on an entry, or on a row of it, with what it has to be given as well.
    func computed(
        _ entry: RecordName, after operations: [LocalChange], in store: isolated RoomStore
    ) throws -> [LocalChange] {
        guard !operations.isEmpty else { return [] }
        let detail = try store.detail(of: entry)
        let schema = records.schemas.schema(of: detail.form)
        let parts = try EntryPart.all(of: entry, schema, in: store, limit: EntryPart.limit + 1)
        guard parts.count <= EntryPart.limit else { return operations }
        return Self.joined(
            operations,
            try computed(detail, schema, parts, after: operations, in: store).operations)
    }

    /// Operations with others behind them: what is written of one record is one change.
    private static func joined(
        _ operations: [LocalChange], _ others: [LocalChange]
    ) -> [LocalChange] {
        var joined = operations
        for other in others {
            guard case .edit(let name, let definition, let values) = other,
                let place = joined.firstIndex(where: {
                    if case .edit(name, definition, _) = $0 { true } else { false }
                }),
                case .edit(_, _, let own) = joined[place]
            else {
                joined.append(other)
                continue
            }
            let fields = Set(values.map(\.field))
            let all = own.filter { !fields.contains($0.field) } + values
            joined[place] = .edit(
                name, definition: definition, values: all.sorted { $0.field < $1.field })
        }
        return joined
    }

    /// What is worked out, and what people read of it.
    private struct Computed {
        var operations: [LocalChange] = []
        /// Names of fields, of those in rows with their paths.
        var fields: [String] = []
        var shown: [ShownChange] = []

        /// Adds what the form makes of a record.
        ///
        /// - Parameters:
        ///   - made: by the fields of its form.
        ///   - values: those that it has then.
        ///   - conflicts: of what is computed on two sides neither stays.
        mutating func add(
            _ made: [Int: FieldValue], of name: RecordName, _ values: [FieldValue],
            before: [FieldValue], conflicts: [RecordField], _ schema: FormSchema, at path: String
        ) {
            let decided = Set(conflicts.compactMap { schema.index(of: $0) })
            let writes = made.keys.sorted().filter { field in
                schema.form.stored[field].expressions.calculation != nil
                    && (made[field] != values[field] || decided.contains(field))
            }.map { LocalChange.FieldChange(field: $0, value: made[$0] ?? .absent) }
            guard !writes.isEmpty else { return }
            operations.append(
                .edit(name, definition: schema.info.definition, values: writes))
            for write in writes {
                fields.append(path + schema.form.stored[write.field].name)
                guard before[write.field] != write.value else { continue }
                var one = schema.shown(
                    schema.info.columns[write.field].field, from: before[write.field],
                    to: write.value)
                one.field = path + one.field
                shown.append(one)
            }
        }
    }

    private func computed(
        _ detail: RecordDetail, _ schema: FormSchema, _ parts: [EntryPart],
        after operations: [LocalChange], in store: isolated RoomStore
    ) throws -> Computed {
        let role = Self.role(store, records.own.key)
        func may(_ name: RecordName) -> Bool {
            RecordPermission.allows(role, .edit, own: name.creator == records.own.key)
        }
        var computed = Computed()
        guard !detail.isDeleted, schema.computes else { return computed }
        var values = detail.values
        for case .edit(detail.name, _, let writes) in operations {
            for write in writes { values[write.field] = write.value }
        }
        let byParent = try Self.rows(parts, after: operations, in: store)
        let rows = Self.rows(of: detail.name, schema, byParent)
        let found = try schema.info.lists.checked {
            checks.changed(
                EntryCheck.Present(values: values, rows: rows),
                EntryValues(values: [:], repeats: Self.named(rows)), of: schema)
        }
        if may(detail.name) {
            var made = found.entry.values
            for field in detail.conflicts.compactMap({ schema.index(of: $0.field) })
            where made[field] == nil {
                made[field] = values[field]
            }
            computed.add(
                made, of: detail.name, values, before: detail.values,
                conflicts: detail.conflicts.map(\.field), schema, at: "")
        }
        func add(
            _ made: [(index: Int, rows: [EntryValues.Row])], _ present: [[RecordRow]],
            _ schema: FormSchema, in path: String
        ) throws {
            for (index, wanted) in made {
                let inner = schema.repeats[index]
                let known = Dictionary(
                    present[index].map { ($0.name.id, $0) }, uniquingKeysWith: { one, _ in one })
                for (place, row) in wanted.enumerated() {
                    guard let there = row.id.flatMap({ known[$0] }) else { continue }
                    let own = "\(path)\(inner.info.name)[\(place + 1)]/"
                    let detail = try store.detail(of: there.name)
                    if may(there.name) {
                        computed.add(
                            row.entry.values, of: there.name, there.values, before: detail.values,
                            conflicts: detail.conflicts.map(\.field), inner, at: own)
                    }
                    try add(row.entry.repeats, there.repeats, inner, in: own)
                }
            }
        }
        try add(found.entry.repeats, rows, schema, in: "")
        return computed
    }

    /// All rows, of which nothing is said.
    private static func named(
        _ rows: [[RecordRow]]
    ) -> [(index: Int, rows: [EntryValues.Row])] {
        rows.enumerated().filter { !$0.element.isEmpty }.map { index, rows in
            (
                index,
                rows.enumerated().map { place, row in
                    EntryValues.Row(
                        id: row.name.id,
                        entry: EntryValues(values: [:], repeats: named(row.repeats)), place: place)
                }
            )
        }
    }

    /// The rows that operations leave, by the entry or row that each belongs to.
    private static func rows(
        _ parts: [EntryPart], after operations: [LocalChange], in store: isolated RoomStore
    ) throws -> [FieldValue: [RecordRow]] {
        var rows: [RecordRow] = []
        for part in parts {
            let detail = try store.detail(of: part.name)
            var isDeleted = detail.isDeleted
            var values = detail.values
            for operation in operations {
                switch operation {
                case .edit(part.name, _, let writes):
                    for write in writes { values[write.field] = write.value }
                case .delete(part.name): isDeleted = true
                case .restore(part.name): isDeleted = false
                default: break
                }
            }
            guard !isDeleted else { continue }
            rows.append(
                RecordRow(name: part.name, created: 0, updated: 0, state: nil, values: values))
        }
        return Dictionary(grouping: rows) { $0.values.first ?? .absent }
    }

    /// The rows of an entry, or of one of its rows, in each repeat of its form.
    private static func rows(
        of record: RecordName, _ schema: FormSchema, _ rows: [FieldValue: [RecordRow]]
    ) -> [[RecordRow]] {
        let own = rows[.text(ParentName(record).text)] ?? []
        return schema.repeats.map { child in
            own.filter { $0.name.form == child.info.formID }.sorted { $0.isBefore($1) }.map {
                var row = $0
                row.repeats = Self.rows(of: row.name, child, rows)
                return row
            }
        }
    }
}

extension FormSchema {
    /// Whether the form works out anything, in the entry or in its rows.
    fileprivate var computes: Bool {
        form.stored.contains { $0.expressions.calculation != nil }
            || repeats.contains { $0.computes }
    }
}

extension RecordRow {
    /// Whether it stands before another one of its repeat.
    fileprivate func isBefore(_ other: RecordRow) -> Bool {
        (place, name.id, name.creator) < (other.place, other.name.id, other.name.creator)
    }

    private var place: Int64 {
        if values.count > 1, case .integer(let place) = values[1] { place } else { .max }
    }
}
