import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Taking back what somebody did last to a record.
extension RecordsService {
    /// Takes back this device's last change of a record, by a new one: fields get the values again
    /// that they had before, but for those that somebody has changed since; a delete is followed by
    /// a restore, a restore by a delete.
    ///
    /// - Throws: `Problem` of `nothing_to_change`, `not_allowed`.
    func undo(_ entry: EntrySelector, in room: OpenRoom) async throws -> UndoneAnswer {
        let keys = own.keys
        return try await change(entry, in: room, deleted: true) { detail, schema, store in
            let name = detail.name
            let last = try store.history(of: name).last {
                keys.contains($0.author) && $0.refusal == nil
                    && $0.kind != .comment && $0.kind != .review
            }
            func answer(_ deleted: Bool) -> UndoneAnswer {
                UndoneAnswer(
                    id: name.id.text, form: name.form, key: schema.name(of: detail.values),
                    deleted: deleted)
            }
            switch last?.kind {
            case .edit:
                guard !detail.isDeleted, let last else {
                    throw Self.nothingToUndo(name, "was deleted since", "restore")
                }
                return try Self.undoing(last, detail, schema)
            case .delete:
                guard detail.isDeleted else {
                    throw Self.nothingToUndo(name, "was brought back already", "history")
                }
                return Change(operations: [.restore(name)], answer: answer(false))
            case .restore:
                guard !detail.isDeleted else {
                    throw Self.nothingToUndo(name, "was deleted again already", "history")
                }
                return Change(operations: [.delete(name)], answer: answer(true))
            case .put: throw Self.nothingToUndo(name, "was made here and not changed", "delete")
            case .comment, .review, nil:
                throw Self.nothingToUndo(name, "was not changed by this device", "history")
            }
        }
    }

    private static func undoing(
        _ last: RecordHistory, _ detail: RecordDetail, _ schema: FormSchema
    ) throws -> Change<UndoneAnswer> {
        var given: [Int: FieldValue] = [:]
        var left: [String] = []
        for change in last.changes {
            let column = schema.column(of: change.field)
            let isAsGiven = column < detail.values.count && detail.values[column] == change.after
            guard column < schema.form.stored.count, isAsGiven else {
                left.append(schema.name(of: .field(change.field)))
                continue
            }
            given[column] = change.before
        }
        let writes = try ConflictResolution(detail: detail, schema: schema).writes(given)
        guard !writes.isEmpty else {
            throw nothingToUndo(
                detail.name, "was changed since in all that you changed last", "history")
        }
        var after = detail.values
        for write in writes { after[write.field] = write.value }
        return Change(
            operations: [
                .edit(detail.name, definition: schema.info.definition, values: writes)
            ],
            fields: writes.map { schema.form.stored[$0.field].name },
            answer: UndoneAnswer(
                id: detail.name.id.text, form: detail.name.form, key: schema.name(of: after),
                changes: writes.map { write in
                    schema.shown(
                        schema.info.columns[write.field].field, from: detail.values[write.field],
                        to: write.value)
                }, left: left))
    }

    private static func nothingToUndo(
        _ name: RecordName, _ why: String, _ command: String
    ) -> Problem {
        let short = name.id.text.suffix(8)
        return Problem(
            .nothingToChange, "there is nothing to take back: entry \(short) \(why)",
            hint: "See: `shared \(command) \(short)`.")
    }
}
