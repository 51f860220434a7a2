import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Taking back what somebody did last to a record.
extension RecordsEditor {
    /// Takes back this device's last change of a record, by a new one: fields get the values again
    /// that they had before, but for those that somebody has changed since; a delete is followed by
    /// a restore, a restore by a delete.
    ///
    /// - Throws: `Problem` of `nothing_to_change`, `not_allowed`; of `too_large` for an entry of more
    ///   rows than are looked at, as a part of a change is never taken back alone.
    func undo(_ entry: EntrySelector, in room: OpenRoom) async throws -> UndoneAnswer {
        let keys = records.own.keys
        return try await change(entry, in: room, for: .undo) { detail, schema, store in
            let name = detail.name
            let parts = try EntryPart.all(of: name, schema, in: store, limit: EntryPart.limit + 1)
            guard parts.count <= EntryPart.limit else {
                throw Problem(
                    .tooLarge,
                    "entry \(name.id.text.suffix(8)) has more than \(EntryPart.limit) rows: what was done"
                        + " last is looked for in the history of each, and not of so many",
                    hint: "Nothing was changed. Give the values that it had: `shared edit"
                        + " \(name.id.text.suffix(8)) FIELD=VALUE`.")
            }
            func last(_ history: [RecordHistory]) -> RecordHistory? {
                history.last {
                    keys.contains($0.author) && $0.refusal == nil
                        && $0.kind != .comment && $0.kind != .review
                }
            }
            let history = try store.history(of: name)
            let own = last(history)
            let rows = parts.compactMap { part in last(part.history).map { (part, $0) } }
            // What was done at one moment is one change, of the entry and of its rows.
            let moment = ([own].compactMap(\.self) + rows.map(\.1)).map(\.at).max()
            // It would take away what others have entered since, and they would not hear why.
            if let own, own.at == moment, own.kind == .restore, !detail.isDeleted,
                history.contains(where: { $0.at > own.at && $0.refusal == nil && $0.kind == .edit })
            {
                throw Self.nothingToUndo(
                    name,
                    "was changed since it was brought back; to delete it all the same:"
                        + " `shared delete \(name.id.text.suffix(8))`", "history")
            }
            var change = try Self.undoing(
                own?.at == moment ? own : nil, detail, schema, moment, history, in: store)
            for (part, last) in rows where last.at == moment {
                try Self.undo(last, of: part, parts, in: store, by: records.own.key, &change)
            }
            if change.answer.deleted == false {
                Self.restore(
                    try Self.restorations(
                        ofRowsOf: detail, schema, store, by: records.own.key), &change)
            }
            try computeAnew(&change, of: detail, schema, parts, in: store)
            guard !change.operations.isEmpty else {
                throw Self.nothingToUndo(
                    name, "was changed since in all that you changed last", "history")
            }
            return change
        }
    }

    /// Takes back what was done to the entry itself; nothing where the change was of its rows alone.
    private static func undoing(
        _ last: RecordHistory?, _ detail: RecordDetail, _ schema: FormSchema, _ moment: Int64?,
        _ history: [RecordHistory], in store: isolated RoomStore
    ) throws -> Change<UndoneAnswer> {
        let name = detail.name
        func change(_ operations: [LocalChange], _ deleted: Bool?) -> Change<UndoneAnswer> {
            Change(
                operations: operations, kind: deleted == nil ? .edit : nil,
                answer: UndoneAnswer(
                    id: name.id.text, form: name.form, key: schema.name(of: detail.values),
                    deleted: deleted))
        }
        switch last?.kind {
        case .edit:
            guard !detail.isDeleted, let last else {
                throw nothingToUndo(name, "was deleted since", "restore")
            }
            return try undoing(last, detail, schema, history, in: store)
        case .delete:
            guard detail.isDeleted else {
                throw nothingToUndo(name, "was brought back already", "history")
            }
            return change([.restore(name)], false)
        case .restore:
            guard !detail.isDeleted else {
                throw nothingToUndo(name, "was deleted again already", "history")
            }
            return change([.delete(name)], true)
        case .put:
            let isChanged = history.contains { $0.refusal == nil && $0.kind == .edit }
            throw isChanged
                ? nothingToUndo(name, "was made here, and changed by others alone", "history")
                : nothingToUndo(name, "was made here and not changed", "delete")
        case .comment, .review, nil:
            guard moment != nil else {
                throw nothingToUndo(name, "was not changed by this device", "history")
            }
            guard !detail.isDeleted else {
                throw nothingToUndo(name, "was deleted since", "restore")
            }
            return change([], nil)
        }
    }

    /// Takes back what was done to a row with its entry.
    private static func undo(
        _ last: RecordHistory, of part: EntryPart, _ parts: [EntryPart],
        in store: isolated RoomStore, by own: DeviceKey, _ change: inout Change<UndoneAnswer>
    ) throws {
        let detail = try store.detail(of: part.name)
        // One that says nothing to people, as a row has moved, is among none of these.
        let shown = part.operations(nil).last { $0.version == last.version }?.shown ?? []
        switch last.kind {
        case .put, .restore:
            guard !detail.isDeleted else { return }
            // What others have put into it since would go with it.
            guard !part.isChanged(since: last.at, parts) else {
                return change.answer.left.append("\(part.schema.info.name)[\(part.position)]")
            }
            change.operations.append(.delete(part.name))
        case .delete:
            guard detail.isDeleted else { return }
            restore([.restore(part.name)], &change)
            restore(try restorations(ofRowsOf: detail, part.schema, store, by: own), &change)
        case .edit:
            guard !detail.isDeleted else {
                // Without it, that somebody else has deleted the row is all that was done.
                if isOtherSide(last, detail) { change.operations.append(.delete(part.name)) }
                return
            }
            var writes: [LocalChange.FieldChange] = []
            for one in last.changes {
                let column = part.schema.column(of: one.field)
                if let older = Self.older(one, at: column, detail, part.schema, in: store) {
                    change.operations.append(older)
                    continue
                }
                guard
                    let remaining = Self.remaining(
                        one, at: column, detail, part.schema, beside: last.unseen(in: part.history))
                else {
                    change.answer.left.append(part.schema.name(of: .field(one.field)))
                    continue
                }
                writes.append(.init(field: column, value: remaining))
            }
            guard !writes.isEmpty else { return }
            change.operations.append(
                .edit(part.name, definition: part.schema.info.definition, values: writes))
            for write in writes where detail.values[write.field] != write.value {
                let field = part.schema.info.columns[write.field].field
                var one = part.schema.shown(
                    field, from: detail.values[write.field], to: write.value)
                guard let told = shown.first(where: { $0.field.hasSuffix("/\(one.field)") })
                else { continue }
                (one.field, one.label) = (told.field, told.label)
                change.answer.changes.append(one)
            }
            return
        case .comment, .review: return
        }
        change.answer.changes += shown.map {
            ShownChange(field: $0.field, label: $0.label, before: $0.after, after: $0.before)
        }
    }

    private static func undoing(
        _ last: RecordHistory, _ detail: RecordDetail, _ schema: FormSchema,
        _ history: [RecordHistory], in store: isolated RoomStore
    ) throws -> Change<UndoneAnswer> {
        var given: [Int: FieldValue] = [:]
        var left: [String] = []
        var older: [LocalChange] = []
        var told: [ShownChange] = []
        for change in last.changes {
            let column = schema.column(of: change.field)
            if let write = Self.older(change, at: column, detail, schema, in: store) {
                older.append(write)
                told.append(schema.shown(change.field, from: change.after, to: change.before))
                continue
            }
            guard
                let remaining = Self.remaining(
                    change, at: column, detail, schema, beside: last.unseen(in: history))
            else {
                left.append(schema.name(of: .field(change.field)))
                continue
            }
            given[column] = remaining
        }
        let writes = try ConflictResolution(detail: detail, schema: schema)
            .writes(given, asBefore: true)
        var after = detail.values
        for write in writes { after[write.field] = write.value }
        return Change(
            operations: (writes.isEmpty
                ? [] : [.edit(detail.name, definition: schema.info.definition, values: writes)])
                + older, kind: .edit,
            fields: writes.map { schema.form.stored[$0.field].name },
            answer: UndoneAnswer(
                id: detail.name.id.text, form: detail.name.form, key: schema.name(of: after),
                changes: writes.filter { detail.values[$0.field] != $0.value }.map { write in
                    schema.shown(
                        schema.info.columns[write.field].field, from: detail.values[write.field],
                        to: write.value)
                } + told, left: left))
    }

    /// What gives a field that the form has not any more what it had before: nil for one that it
    /// has, and where it was changed since.
    private static func older(
        _ change: RecordHistory.Change, at column: Int, _ detail: RecordDetail,
        _ schema: FormSchema, in store: isolated RoomStore
    ) -> LocalChange? {
        guard column >= schema.form.stored.count, detail.values.indices.contains(column),
            detail.values[column] == change.after,
            let position = store.position(of: change.field, in: detail.name.form)
        else { return nil }
        return .edit(
            detail.name, definition: position.definition,
            values: [.init(field: position.position, value: change.before)])
    }

    /// What a field has without this device's last change of it: what it had before, or what somebody
    /// else has given it beside that; nil where it was changed since, or by several, and where
    /// somebody came to the same.
    ///
    /// - Parameters:
    ///   - place: of its column; past those of the form in force where that has it not.
    ///   - beside: what others did that had not seen the change, nor it them.
    private static func remaining(
        _ change: RecordHistory.Change, at place: Int, _ detail: RecordDetail,
        _ schema: FormSchema, beside: [RecordHistory]
    ) -> FieldValue? {
        guard place < schema.form.stored.count else { return nil }
        // It may have been a whole number then.
        let column = schema.info.columns[place]
        let (before, after) = (column.shown(change.before), column.shown(change.after))
        let isAgreed = beside.flatMap(\.changes).contains {
            schema.column(of: $0.field) == place && column.shown($0.after) == after
        }
        guard !isAgreed else { return nil }
        guard let conflict = detail.conflicts.first(where: { $0.field == .field(column.field) })
        else { return detail.values[place] == after ? before : nil }
        let sides = Set(([conflict.winner] + conflict.losers).map { column.shown($0.value) })
        guard sides.contains(after) else { return nil }
        let others = sides.subtracting([after])
        return others.count == 1 ? others.first : nil
    }

    /// Brings back what a deletion took along, in whatever moments it was decided and confirmed.
    private static func restore(
        _ operations: [LocalChange], _ change: inout Change<UndoneAnswer>
    ) {
        func restored(_ operation: LocalChange) -> RecordName? {
            if case .restore(let name) = operation { name } else { nil }
        }
        let known = Set(change.operations.compactMap(restored))
        change.operations += operations.filter { operation in
            restored(operation).map { !known.contains($0) } ?? true
        }
    }

    /// Whether a change is all that stands against a row's deletion.
    private static func isOtherSide(_ change: RecordHistory, _ detail: RecordDetail) -> Bool {
        detail.conflicts.contains { conflict in
            guard conflict.field == .deleted else { return false }
            return conflict.losers.allSatisfy { $0.author == change.author && $0.at == change.at }
        }
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

extension RecordHistory {
    /// Those of a record's operations that had not seen this one, nor it them.
    fileprivate func unseen(in history: [RecordHistory]) -> [RecordHistory] {
        history.filter { parallel.contains($0.version) && $0.refusal == nil }
    }
}
