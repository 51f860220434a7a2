import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Enters and changes records.
struct RecordsEditor: Sendable {
    let records: RecordsService
    let entering: Entering
    let checks: EntryCheck

    /// Enters a record; it is on the disk when this returns.
    ///
    /// - Parameter language: of what is told of its answers; nil for the form's own default.
    func add(
        _ formID: String, to room: OpenRoom, _ request: ValuesRequest, language: String? = nil
    ) async throws -> AddedAnswer {
        var schema = records.schemas.lastFound(formID, in: room)
        if schema == nil { schema = try? await records.schemas.find(formID, in: room) }
        let read = RequestReading(schema?.told(in: language)) { schema in
            var unread: [AskedFields.Unread] = []
            let given = try schema.asked.read(
                schema.typed(request.values, at: entering.wall()), unread: &unread,
                takesAll: true)
            return (given: given, unread: unread)
        }
        let entered = try await enter(in: room) { store, role in
            let schema = try records.schemas.find(formID, in: store, named: room.name)
                .told(in: language)
            // Before anybody is asked for what would be refused anyway.
            try RecordsPermission(role).requireAdd()
            try Self.requireEntries(of: schema)
            let wall = entering.wall()
            var changes = RepeatChanges(own: records.own.key, wall: wall, role: role)
            let (given, unread) = try read.values(of: schema)
            let (state, warnings) = try schema.info.lists.checked {
                try checks.added(given, unread: unread.map { EntryFault($0) }, of: schema)
            }
            try changes.add(EntryValues(state.answers, of: schema), schema)
            let values = state.stored
            return Entering.Entry(
                changes: changes.all,
                news: RecordEffect(.put, form: schema.info.formID, author: records.own.key),
                answer: AddedAnswer(
                    id: "", form: schema.info.formID,
                    key: state.instanceName ?? schema.key(of: values), warnings: warnings),
                wall: wall)
        }
        var answer = entered.answer
        answer.id = entered.records.first?.id.text ?? ""
        return answer
    }

    /// Enters what somebody does; what this device was not assigned is told as people read it.
    private func enter<Answer>(
        in room: OpenRoom,
        _ make: @escaping @Sendable (isolated RoomStore, Role) throws -> Entering.Entry<Answer>
    ) async throws -> (answer: Answer, records: [RecordName]) {
        do {
            return try await entering.enter(in: room, make)
        } catch StoreError.outsideScope(let form, let field?, let allowed) {
            let schema = try? await records.schemas.find(form, in: room)
            throw StoreError.outsideScope(
                form: form, field: field,
                allowed: ScopeReading.labels(allowed, of: field, schema))
        }
    }

    /// Operations that change one record, and what is answered when they are entered.
    struct Change<Answer: Sendable>: Sendable {
        var operations: [LocalChange]
        /// What it is to those who watch; nil for the last operation's kind.
        var kind: RecordsBlock.Kind?
        /// Names of the fields that they write.
        var fields: [String] = []
        /// The review's state that they give.
        var state: String?
        /// What must be allowed, where that is more than the operations themselves.
        var requires: [RecordsBlock.Kind] = []
        var answer: Answer
        /// As in `Entering.Entry`.
        var wall: UInt64?
    }

    /// Enters what somebody does to one record, if the room's rules allow it.
    ///
    /// - Parameters:
    ///   - use: what for it is named.
    ///   - plan: works out the operations from the record as it is at that moment.
    /// - Throws: as `name`, and `Problem` of `not_allowed`, before anything is written; what
    ///   `plan` throws.
    func change<Answer>(
        _ entry: EntrySelector, in room: OpenRoom, for use: EntryUse,
        _ plan:
            @escaping @Sendable (RecordDetail, FormSchema, isolated RoomStore) throws
            -> Change<Answer>
    ) async throws -> Answer {
        let name = try await records.name(entry, in: room, for: use)
        let whose = await records.whose(name)
        return try await enter(in: room) { store, role in
            let detail = try store.detail(of: name)
            let change = try plan(detail, records.schemas.schema(of: detail.form), store)
            for kind in change.requires + change.operations.map(\.kind) {
                try RecordsPermission(role).require(
                    kind, own: name.creator == records.own.key, creator: whose)
            }
            return Entering.Entry(
                changes: change.operations,
                news: RecordEffect(
                    change.kind ?? change.operations.last?.kind ?? .edit, form: name.form,
                    author: records.own.key,
                    record: name, fields: change.fields, state: change.state),
                answer: change.answer, wall: change.wall)
        }.answer
    }

    /// An entry as it is before it is changed, and its form; nil where it is not clear which is meant.
    func present(
        _ entry: EntrySelector, in room: OpenRoom, for use: EntryUse
    ) async -> (schema: FormSchema?, entry: EntryCheck.Present?) {
        guard let name = try? await records.name(entry, in: room, for: use),
            let schema = try? await records.schemas.find(name.form, in: room)
        else { return (nil, nil) }
        let present = try? await room.store.perform { store in
            EntryCheck.Present(
                values: try store.detail(of: name).values,
                rows: schema.repeats.isEmpty ? [] : try store.repeats(of: name, in: schema.info))
        }
        return (schema, present)
    }

    /// Writes the fields whose value is another now, or that are in conflict: then the value that
    /// shows is a decision as well.
    ///
    /// - Parameter language: as in `add`.
    /// - Throws: `Problem` of `changed_meanwhile` where that would write over what was not seen, by
    ///   what the request says that it has seen.
    func edit(
        _ entry: EntrySelector, in room: OpenRoom, _ request: ValuesRequest,
        language: String? = nil
    ) async throws -> Edited {
        do {
            return try await write(entry, in: room, request, language)
        } catch let conflict as SeenAnswers.Conflict {
            throw await conflict.problem(records.names, now: Int64(entering.wall()))
        }
    }

    private func write(
        _ entry: EntrySelector, in room: OpenRoom, _ request: ValuesRequest, _ language: String?
    ) async throws -> Edited {
        let seen = request.seen.map { SeenAnswers($0) }
        let (schema, there) = await present(entry, in: room, for: .edit)
        let read = RequestReading(schema?.told(in: language)) { schema in
            var unread: [EntryFault] = []
            let wanted = try EntryValues(
                schema.typed(request.values, at: entering.wall()), of: schema, keeping: there,
                unread: &unread)
            return (wanted: wanted, unread: unread)
        }
        return try await change(entry, in: room, for: .edit) { detail, schema, store in
            let schema = schema.told(in: language)
            let (given, unread) = try read.values(of: schema)
            guard !given.isEmpty || !unread.isEmpty else {
                throw Problem(
                    .nothingToChange, "no field is named", hint: "Name some: FIELD=VALUE.")
            }
            let rows =
                schema.repeats.isEmpty
                ? [] : try store.repeats(of: detail.name, in: schema.info)
            try Self.requireRows(
                given.missing(in: rows, schema), of: detail.name, schema, seen: seen, in: store)
            let role = Self.role(store, records.own.key)
            var kept: [(path: String, count: Int)] = []
            let wanted = given.whole(in: rows, schema).keeping(in: rows, schema) { row in
                !RecordPermission.allows(
                    role, .delete, own: row.name.creator == records.own.key)
            } kept: {
                kept.append(($0, $1))
            }
            let present = EntryCheck.Present(values: detail.values, rows: rows)
            let checked: (entry: EntryValues, warnings: [EntryWarning])
            do {
                checked = try schema.info.lists.checked {
                    try checks.edited(present, wanted, unread: unread, of: schema)
                }
            } catch let problem as Problem {
                // What is wrong may be so because of answers that nobody has seen.
                let given = wanted.values.filter { $1 != detail.values[$0] }
                let writes = given.map { LocalChange.FieldChange(field: $0.key, value: $0.value) }
                let edit = LocalChange.edit(
                    detail.name, definition: schema.info.definition,
                    values: writes.sorted { $0.field < $1.field })
                try requireSeen([edit], seen, present, of: detail, schema, rows: true, in: store)
                throw problem
            }
            let writes = try ConflictResolution(detail: detail, schema: schema)
                .writes(checked.entry.values)
            var fields = writes.map { schema.form.stored[$0.field].name }
            var after = detail.values
            for write in writes { after[write.field] = write.value }
            var shown = writes.map { write in
                schema.shown(
                    schema.info.columns[write.field].field, from: detail.values[write.field],
                    to: write.value)
            }
            let wall = entering.wall()
            var changes = RepeatChanges(
                own: records.own.key, wall: wall, role: role, kept: kept,
                conflicts: try Self.conflictFields(ofRowsIn: schema, store))
            if !writes.isEmpty {
                changes.all.append(
                    .edit(detail.name, definition: schema.info.definition, values: writes))
            }
            fields += try changes.edit(checked.entry, of: detail.name, rows, schema)
            shown += changes.shown
            try requireSeen(changes.all, seen, present, of: detail, schema, in: store)
            return Change(
                operations: changes.all, kind: .edit, fields: fields,
                answer: Edited(
                    answer: EditedAnswer(
                        id: detail.name.id.text, form: detail.name.form,
                        key: schema.name(of: after), changed: fields, changes: shown,
                        warnings: checked.warnings + changes.notes),
                    creator: detail.name.creator,
                    isKeyChanged: fields.contains(where: schema.form.key.contains),
                    consequences: changes.all.isEmpty
                        ? []
                        : Self.consequences(
                            of: writes, for: detail, schema, resolved: changes.resolvedPaths)),
                wall: wall)
        }
    }

    /// - Parameter rows: whether rows that nobody has seen stand in the way as well.
    /// - Throws: `SeenAnswers.Conflict` where operations would write over what nobody has seen.
    private func requireSeen(
        _ operations: [LocalChange], _ seen: SeenAnswers?, _ present: EntryCheck.Present,
        of detail: RecordDetail, _ schema: FormSchema, rows: Bool = false,
        in store: isolated RoomStore
    ) throws {
        guard let seen else { return }
        let now = SeenAnswers(try schema.info.lists.checked { checks.shown(present, of: schema) })
        let missed =
            seen.missed(by: operations, of: detail, present.rows, schema, now: now)
            + (rows ? seen.added(present.rows, now: now) : [])
        guard missed.isEmpty else {
            throw try SeenAnswers.Conflict(missed, of: detail.name.id, in: store)
        }
    }

    /// A record that was changed.
    struct Edited: Sendable {
        let answer: EditedAnswer
        let creator: DeviceKey
        let isKeyChanged: Bool
        /// What that means for its conflicts and its review, in words.
        let consequences: [String]
    }

    private static func consequences(
        of writes: [LocalChange.FieldChange], for detail: RecordDetail, _ schema: FormSchema,
        resolved inRows: [String]
    ) -> [String] {
        let written = Set(writes.map(\.field))
        let resolved =
            detail.conflicts.map(\.field).filter { field in
                schema.index(of: field).map(written.contains) ?? false
            }.map { schema.name(of: $0) } + inRows
        var consequences: [String] = []
        if !resolved.isEmpty {
            let what = resolved.count == 1 ? "the conflict" : "the conflicts"
            consequences.append("this settles \(what) about \(Sentence.list(resolved))")
        }
        if let state = detail.review?.state, state == ReviewState.approved.rawValue {
            consequences.append(
                "it was approved before this change, and says so until it is reviewed again")
        }
        return consequences
    }

    /// The fields in conflict of the rows of a form's repeats.
    static func conflictFields(
        ofRowsIn schema: FormSchema, _ store: isolated RoomStore
    ) throws -> [RecordName: [RecordField]] {
        try schema.repeats.reduce(into: [:]) { found, child in
            found.merge(try store.conflictFields(ofForm: child.info.formID)) { $1 }
            found.merge(try conflictFields(ofRowsIn: child, store)) { $1 }
        }
    }

    /// Deletes a record; its history stays. Of a record that somebody changed while another
    /// deleted it, this confirms that it is deleted.
    func delete(_ entry: EntrySelector, in room: OpenRoom) async throws -> EditedAnswer {
        try await change(entry, in: room, for: .delete) { detail, schema, store in
            let short = detail.name.id.text.suffix(8)
            let isInConflict = detail.conflicts.contains { $0.field == .deleted }
            guard try !detail.isDeleted || isInConflict || Self.leavesRows(detail, in: store)
            else {
                throw Problem(
                    .alreadySo, "\(Self.name(of: detail, schema)) is deleted already",
                    hint: "See who deleted it: `shared history \(short)`.")
            }
            return Change(
                operations: [.delete(detail.name)]
                    + (try Self.deletions(ofRowsOf: detail, schema, store, by: records.own.key)),
                kind: .delete,
                answer: EditedAnswer(
                    id: detail.name.id.text, form: detail.name.form,
                    key: schema.name(of: detail.values),
                    changed: zip(schema.names, detail.values).filter { $0.1 != .absent }.map(\.0)))
        }
    }

    /// Brings back a deleted record.
    func restore(
        _ entry: EntrySelector, in room: OpenRoom
    ) async throws -> (answer: RemarkAnswer, creator: DeviceKey) {
        try await change(entry, in: room, for: .restore) { detail, schema, store in
            let isInConflict = detail.conflicts.contains { $0.field == .deleted }
            guard detail.isDeleted || isInConflict else {
                throw Problem(
                    .alreadySo, "\(Self.name(of: detail, schema)) is not deleted",
                    hint: "An earlier value is brought back with: `shared edit ID FIELD=VALUE`.")
            }
            return Change(
                operations: [.restore(detail.name)]
                    + (try Self.restorations(ofRowsOf: detail, schema, store, by: records.own.key)),
                kind: .restore,
                answer: (
                    RemarkAnswer(on: detail, schema, state: detail.review?.state),
                    detail.name.creator
                ))
        }
    }

    /// Rows of a repeat are made and asked for with the entry that they belong to.
    private static func requireEntries(of schema: FormSchema) throws {
        guard let entry = FormDefinition.parentForm(of: schema.info.formID) else { return }
        throw Problem(
            .badRequest, "\(schema.info.name) is a part of \(entry), not a form by itself",
            hint: "Enter it with its entry: `shared add \(entry)`; or edit the entry.")
    }

    /// `household KOR-200 (229a6617)`
    static func name(of detail: RecordDetail, _ schema: FormSchema) -> String {
        let short = detail.name.id.text.suffix(8)
        guard let key = schema.name(of: detail.values) else { return "entry \(short)" }
        return "\(detail.name.form) \(key.prefix(60)) (\(short))"
    }
}
