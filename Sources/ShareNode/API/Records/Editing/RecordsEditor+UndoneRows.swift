import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// What the form works out of an entry whose last change is taken back: others may have changed it
/// meanwhile, so that it is not what it was before.
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
        guard change.answer.deleted == nil, !change.operations.isEmpty,
            mayCompute(detail, schema, in: store)
        else { return }
        var given: [Int: FieldValue] = [:]
        let own = change.operations.firstIndex { $0.edited == detail.name }
        if let own, case .edit(_, _, let values) = change.operations[own] {
            for write in values { given[write.field] = write.value }
        }
        let made = try made(
            of: detail, with: given, schema, parts, after: change.operations, in: store)
        guard !made.isEmpty else { return }
        given.merge(made) { $1 }
        let writes = try ConflictResolution(detail: detail, schema: schema).writes(given)
        let edit = LocalChange.edit(
            detail.name, definition: schema.info.definition, values: writes)
        if let own { change.operations[own] = edit } else { change.operations.append(edit) }
        change.fields = writes.map { schema.form.stored[$0.field].name }
        let computed = Set(made.keys.map { schema.form.stored[$0].name })
        change.answer.left.removeAll(where: computed.contains)
        change.answer.changes.removeAll { computed.contains($0.field) }
        let news = writes.filter {
            made[$0.field] != nil && detail.values[$0.field] != $0.value
        }
        change.answer.changes += news.map { write in
            schema.shown(
                schema.info.columns[write.field].field, from: detail.values[write.field],
                to: write.value)
        }
    }

    /// What an entry has to be given as well where operations change a row of it; nil for nothing.
    func computed(
        _ entry: RecordName, after operations: [LocalChange], in store: isolated RoomStore
    ) throws -> LocalChange? {
        let detail = try store.detail(of: entry)
        let schema = records.schemas.schema(of: detail.form)
        guard !operations.isEmpty, mayCompute(detail, schema, in: store) else { return nil }
        let parts = try EntryPart.all(of: entry, schema, in: store, limit: EntryPart.limit + 1)
        guard parts.count <= EntryPart.limit else { return nil }
        let made = try made(of: detail, with: [:], schema, parts, after: operations, in: store)
        let writes = try ConflictResolution(detail: detail, schema: schema).writes(made)
        return writes.isEmpty
            ? nil : .edit(entry, definition: schema.info.definition, values: writes)
    }

    /// Whether there is anything to work out, and this device may write it.
    private func mayCompute(
        _ detail: RecordDetail, _ schema: FormSchema, in store: isolated RoomStore
    ) -> Bool {
        let isOwn = detail.name.creator == records.own.key
        return !detail.isDeleted
            && schema.form.stored.contains { $0.expressions.calculation != nil }
            && RecordPermission.allows(Self.role(store, records.own.key), .edit, own: isOwn)
    }

    /// What the form makes of the answers that operations leave, where that is another value now, or
    /// two sides have computed it: of these neither stays.
    private func made(
        of detail: RecordDetail, with given: [Int: FieldValue], _ schema: FormSchema,
        _ parts: [EntryPart], after operations: [LocalChange], in store: isolated RoomStore
    ) throws -> [Int: FieldValue] {
        var values = detail.values
        for (field, value) in given { values[field] = value }
        let rows = try Self.rows(parts, after: operations, in: store)
        let entry = EntryCheck.Present(
            values: values, rows: Self.rows(of: detail.name, schema, rows))
        var made = try schema.info.lists.checked { checks.contradicted(entry, of: schema) }
        for conflict in detail.conflicts {
            guard let field = schema.index(of: conflict.field), made[field] == nil,
                schema.form.stored[field].expressions.calculation != nil
            else { continue }
            made[field] = values[field]
        }
        return made
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

extension LocalChange {
    /// The record whose fields it writes.
    fileprivate var edited: RecordName? {
        if case .edit(let name, _, _) = self { name } else { nil }
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
