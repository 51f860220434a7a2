import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Lists, shows, enters and changes records.
struct RecordsService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let entering: Entering
    let schemas: SchemaCache
    let readers: RoomReaders
    let find: FindService
    let checks: EntryCheck

    // MARK: Looking

    /// The record that somebody means.
    ///
    /// - Parameter deleted: whether it may be a deleted one.
    /// - Throws: `StoreError.unknownRecord`, `.ambiguousRecord`; `Problem` for a deleted one, and
    ///   for a form that is not there or has no such key.
    func name(
        _ entry: EntrySelector, in room: OpenRoom, deleted: Bool
    ) async throws -> RecordName {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        guard entry.key.isEmpty else {
            return try await name(byKey: entry, in: room, deleted: deleted, forms, reader)
        }
        do {
            return try await reader.find(entry.text, in: forms, deleted: deleted)
        } catch StoreError.unknownRecord where !deleted {
            throw Self.isDeleted(
                "entry \(entry.text.prefix(80))",
                try await reader.find(entry.text, in: forms, deleted: true))
        }
    }

    /// The same for a form and the values of its key, or a form and an id.
    private func name(
        byKey entry: EntrySelector, in room: OpenRoom, deleted: Bool, _ forms: [FormInfo],
        _ reader: RoomReader
    ) async throws -> RecordName {
        let schema = try await schemas.find(entry.text, in: room)
        let name = "\(entry.text) \(entry.key.joined(separator: " "))"
        var all: [RecordName] = []
        var wrong: (any Error)?
        do {
            let lookup = try EntryLookup(schema, entry.key)
            let found = try await lookup.shown(reader)
            let gone = found.isEmpty ? try await lookup.deleted(reader, room.store) : []
            if !deleted, let first = gone.first { throw Self.isDeleted(name, first) }
            all = found + gone
        } catch {
            wrong = error
        }
        if all.isEmpty, entry.key.count == 1,
            let named = try? await reader.find(
                entry.key[0], in: forms.filter { $0.formID == entry.text }, deleted: deleted),
            named.form == entry.text
        {
            return named
        }
        if let wrong { throw wrong }
        guard let first = all.first else { throw StoreError.unknownRecord(name) }
        guard all.count == 1 else { throw try await ambiguous(name, all, schema, reader) }
        return first
    }

    /// Says who made each of the entries of one key, and when.
    private func ambiguous(
        _ name: String, _ records: [RecordName], _ schema: FormSchema, _ reader: RoomReader
    ) async throws -> Problem {
        var told: [String] = []
        for record in records.prefix(5) {
            let row = try await reader.record(record, in: schema.info)
            let day = row.map { ", " + RecordTimestamp.local($0.created) } ?? ""
            told.append(
                "\(record.id.text.suffix(8)) by \(await names.called(record.creator))\(day)")
        }
        let more = records.count > told.count ? "; and more" : ""
        let first = records[0].id.text.suffix(8)
        return Problem(
            .ambiguousID,
            "\(records.count) entries are called \(name.prefix(120)): "
                + told.joined(separator: "; ") + more,
            hint: "Name one by its id, \(first) for instance: `shared show \(first)`.")
    }

    private static func isDeleted(_ name: String, _ record: RecordName) -> Problem {
        let short = record.id.text.suffix(8)
        return Problem(
            .notFoundRecord, "\(name.prefix(120)) is deleted",
            hint: "Bring it back: `shared restore \(short)`; or see who deleted it: "
                + "`shared history \(short)`.")
    }

    /// What to say beside entries: what others change in them no contributor is sent.
    func notices(about room: OpenRoom) async -> [String] {
        let role = await room.store.authority().currentRole(of: own.key)
        guard role?.readsAll == false else { return [] }
        return ["as you sent it: what others change is not sent to a contributor"]
    }

    /// A record with its review, its comments, and whether it is in conflict.
    func show(_ entry: EntrySelector, in room: OpenRoom) async throws -> [UInt8] {
        let name = try await name(entry, in: room, deleted: false)
        let reader = try await readers.reader(of: room)
        guard let info = await room.store.form(name.form),
            let row = try await reader.record(name, in: info)
        else { throw StoreError.unknownRecord(entry.text) }
        let schema = schemas.schema(of: info)
        var text = RecordsJSONEncoder.object(
            row, schema, names: await names.known([name.creator]))
        var remarks = JSONObject()
        if KeptEntryCheck.isNeeded(for: schema) {
            remarks = KeptEntryCheck(schema, checks.surroundings).findings(row).members
        }
        remarks.members += try await self.remarks(room.store.detail(of: row.name), schema).members
        guard !remarks.members.isEmpty, text.last == UInt8(ascii: "}") else { return text }
        text.removeLast()
        for member in remarks.members {
            text += ",".utf8
            text += member.key.json.text
            text += ":".utf8
            text += member.value.text
        }
        text += "}".utf8
        return text
    }

    private func remarks(_ detail: RecordDetail, _ schema: FormSchema) async -> JSONObject {
        var remarks = JSONObject()
        func remark(_ remark: RecordDetail.Remark) async -> JSONObject {
            [
                "author": remark.author.text.json,
                "author_name": await names.known(remark.author).json,
                "at": RecordTimestamp.text(remark.at).json, "text": remark.text.json,
            ]
        }
        if let review = detail.review { remarks["_review"] = .object(await remark(review)) }
        var comments: [JSONValue] = []
        for comment in detail.comments { comments.append(.object(await remark(comment))) }
        if !comments.isEmpty { remarks["_comments"] = .array(comments) }
        if !detail.conflicts.isEmpty {
            remarks["_conflicts"] = .array(detail.conflicts.map { schema.name(of: $0.field).json })
        }
        return remarks
    }

    /// The records that a request asks for, ready to be sent.
    func list(
        _ formID: String, in room: OpenRoom, _ fields: HTTPFields
    ) async throws -> RecordsStream<RecordsJSONEncoder> {
        let schema = try await find.schema(formID, in: room)
        let devices = Array(try await room.store.view().standings.keys)
        var query = try await find.query(fields, of: schema, in: room)
        let head = fields["head"] == "true" ? Self.head(of: schema) : nil
        query.wantsTrails = head != nil
        return try RecordsStream(
            RecordsJSONEncoder(schema, .list, names: await names.known(devices), head: head),
            of: schema, query, path: room.store.path,
            hasFlags: try await find.readsFlags(query, of: schema, in: room))
    }

    private static func head(of schema: FormSchema) -> ListHead {
        ListHead(
            form: schema.info.formID, title: schema.form.displayTitle(),
            key: schema.keyPlaces.map { schema.form.stored[$0].name },
            isNamed: schema.namer != nil,
            columns: Array(schema.names.prefix(schema.form.stored.count))
                + schema.repeats.map(\.info.name)
                + schema.names.dropFirst(schema.form.stored.count),
            former: Array(schema.names.dropFirst(schema.form.stored.count)),
            total: schema.info.records)
    }

    /// The names of the members of a room, as far as they are known.
    func memberNames(_ room: OpenRoom) async throws -> [DeviceKey: String] {
        await names.known(Array(try await room.store.view().standings.keys))
    }

    // MARK: Changing

    /// Enters a record; it is on the disk when this returns.
    func add(
        _ formID: String, to room: OpenRoom, _ request: ValuesRequest
    ) async throws -> AddedAnswer {
        let entered = try await entering.enter(in: room) { store, role in
            let schema = try schemas.find(formID, in: store, named: room.name)
            // Before anybody is asked for what would be refused anyway.
            try RecordsPermission(role).requireAdd()
            try Self.requireEntries(of: schema)
            var changes = RepeatChanges(own: own.key, wall: entering.wall())
            var unread: [AskedFields.Unread] = []
            let given = try schema.asked.read(
                request.values, unread: &unread, takesAll: true)
            let (state, warnings) = try checks.added(
                given, unread: unread.map { EntryFault($0) }, of: schema)
            try changes.add(EntryValues(state.answers, of: schema), schema)
            let values = state.stored
            return Entering.Entry(
                changes: changes.all,
                news: RecordNews(.put, form: schema.info.formID, author: own.key),
                answer: AddedAnswer(
                    id: "", form: schema.info.formID,
                    key: state.instanceName ?? schema.key(of: values), warnings: warnings))
        }
        var answer = entered.answer
        answer.id = entered.records.first?.id.text ?? ""
        return answer
    }

    /// What to say beside a new record: what the form flags in it, and others of the same key that
    /// are there already.
    func notices(of added: AddedAnswer, in room: OpenRoom) async throws -> [String] {
        try await added.warnings.prefix(20).map(\.line) + duplicates(of: added, in: room)
    }

    private func duplicates(of added: AddedAnswer, in room: OpenRoom) async throws -> [String] {
        guard let id = RecordID(text: added.id),
            let info = await room.store.form(added.form)
        else { return [] }
        let schema = schemas.schema(of: info)
        guard !schema.keyPlaces.isEmpty else { return [] }
        let reader = try await readers.reader(of: room)
        let name = RecordName(form: added.form, creator: own.key, id: id)
        guard let row = try await reader.record(name, in: info) else { return [] }
        return try await duplicate(of: row.values, schema, besides: name, in: room).map { [$0] }
            ?? []
    }

    /// The entry that is there with the key of these values of the form's columns, as a sentence;
    /// nil where there is none.
    func duplicate(
        of values: [FieldValue], _ schema: FormSchema, besides name: RecordName?,
        in room: OpenRoom
    ) async throws -> String? {
        let places = schema.keyPlaces
        guard let key = schema.key(of: values) else { return nil }
        let info = schema.info
        let conditions = places.map { place in
            RecordQuery.Condition(.column(info.columns[place].name), equals: values[place])
        }
        let reader = try await readers.reader(of: room)
        let same = try await reader.latest(
            info, where: conditions, limit: 5
        ).filter { $0.name != name }
        guard let first = same.first else { return nil }
        let more = same.count > 1 ? ", and more: `shared list \(info.formID) --duplicates`" : ""
        return "\(info.formID) \(key) is there already (\(first.name.id.text.suffix(8)), by "
            + "\(await names.called(first.name.creator)), "
            + "\(RecordTimestamp.text(first.created).prefix(10)))\(more)"
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
    }

    /// Enters what somebody does to one record, if the room's rules allow it.
    ///
    /// - Parameters:
    ///   - deleted: whether it may be a deleted one.
    ///   - plan: works out the operations from the record as it is at that moment.
    /// - Throws: as `name`, and `Problem` of `not_allowed`, before anything is written; what
    ///   `plan` throws.
    func change<Answer>(
        _ entry: EntrySelector, in room: OpenRoom, deleted: Bool = false,
        _ plan:
            @escaping @Sendable (RecordDetail, FormSchema, isolated RoomStore) throws
            -> Change<Answer>
    ) async throws -> Answer {
        let name = try await name(entry, in: room, deleted: deleted)
        let whose =
            own.formerKeys.contains(name.creator)
            ? "yours, as \(name.creator.short) before" : "of \(await names.called(name.creator))"
        return try await entering.enter(in: room) { store, role in
            let detail = try store.detail(of: name)
            let change = try plan(detail, schemas.schema(of: detail.form), store)
            for kind in change.requires + change.operations.map(\.kind) {
                try RecordsPermission(role).require(
                    kind, own: name.creator == own.key, creator: whose)
            }
            return Entering.Entry(
                changes: change.operations,
                news: RecordNews(
                    change.kind ?? change.operations.last?.kind ?? .edit, form: name.form,
                    author: own.key,
                    record: name, fields: change.fields, state: change.state),
                answer: change.answer)
        }.answer
    }

    /// Writes the fields whose value is another now, or that are in conflict: then the value that
    /// shows is a decision as well.
    func edit(
        _ entry: EntrySelector, in room: OpenRoom, _ request: ValuesRequest
    ) async throws -> EditedAnswer {
        try await change(entry, in: room) { detail, schema, store in
            var unread: [EntryFault] = []
            let wanted = try EntryValues(request.values, of: schema, unread: &unread)
            guard !wanted.isEmpty || !unread.isEmpty else {
                throw Problem(
                    .nothingToChange, "no field is named", hint: "Name some: FIELD=VALUE.")
            }
            let rows =
                schema.repeats.isEmpty
                ? [] : try store.repeats(of: detail.name, in: schema.info)
            let checked = try checks.edited(
                EntryCheck.Present(values: detail.values, rows: rows), wanted, unread: unread,
                of: schema)
            let writes = try ConflictResolution(detail: detail, schema: schema)
                .writes(checked.entry.values)
            var fields = writes.map { schema.form.stored[$0.field].name }
            var after = detail.values
            for write in writes { after[write.field] = write.value }
            let shown = writes.map { write in
                schema.shown(
                    schema.info.columns[write.field].field, from: detail.values[write.field],
                    to: write.value)
            }
            var changes = RepeatChanges(own: own.key, wall: entering.wall())
            if !writes.isEmpty {
                changes.all.append(
                    .edit(detail.name, definition: schema.info.definition, values: writes))
            }
            if !wanted.repeats.isEmpty {
                fields += try changes.edit(checked.entry, of: detail.name, rows, schema)
            }
            return Change(
                operations: changes.all, kind: .edit, fields: fields,
                answer: EditedAnswer(
                    id: detail.name.id.text, form: detail.name.form, key: schema.name(of: after),
                    changed: fields, changes: shown, warnings: checked.warnings))
        }
    }

    /// Deletes a record; its history stays. Of a record that somebody changed while another
    /// deleted it, this confirms that it is deleted.
    func delete(_ entry: EntrySelector, in room: OpenRoom) async throws -> EditedAnswer {
        try await change(entry, in: room, deleted: true) { detail, schema, store in
            let short = detail.name.id.text.suffix(8)
            let isInConflict = detail.conflicts.contains { $0.field == .deleted }
            guard !detail.isDeleted || isInConflict else {
                throw Problem(
                    .alreadySo, "entry \(short) is deleted already",
                    hint: "See who deleted it: `shared history \(short)`.")
            }
            let rows = try store.repeats(of: detail.name, in: schema.info)
            return Change(
                operations: [.delete(detail.name)]
                    + RepeatChanges.deletions(of: rows, by: own.key, as: Self.role(store, own.key)),
                kind: .delete,
                answer: EditedAnswer(
                    id: detail.name.id.text, form: detail.name.form,
                    key: schema.name(of: detail.values),
                    changed: zip(schema.names, detail.values).filter { $0.1 != .absent }.map(\.0)))
        }
    }

    /// Brings back a deleted record.
    func restore(_ entry: EntrySelector, in room: OpenRoom) async throws -> RemarkAnswer {
        try await change(entry, in: room, deleted: true) { detail, schema, store in
            let isInConflict = detail.conflicts.contains { $0.field == .deleted }
            guard detail.isDeleted || isInConflict else {
                throw Problem(
                    .alreadySo, "entry \(detail.name.id.text.suffix(8)) is not deleted",
                    hint: "An earlier value is brought back with: `shared edit ID FIELD=VALUE`.")
            }
            let role = Self.role(store, own.key)
            let rows = try store.deletedRows(of: detail.name, in: schema.info).filter {
                role >= .editor || $0.creator == own.key
            }
            return Change(
                operations: [.restore(detail.name)] + rows.map { .restore($0) },
                kind: .restore,
                answer: Self.remark(on: detail, schema, state: detail.review?.state))
        }
    }

    /// Rows of a repeat are made and asked for with the entry that they belong to.
    private static func requireEntries(of schema: FormSchema) throws {
        guard let entry = FormDefinition.parentForm(of: schema.info.formID) else { return }
        throw Problem(
            .badRequest, "\(schema.info.name) is a part of \(entry), not a form by itself",
            hint: "Enter it with its entry: `shared add \(entry)`; or edit the entry.")
    }

    private static func role(_ store: isolated RoomStore, _ own: DeviceKey) -> Role {
        store.authority().currentRole(of: own) ?? .viewer
    }

    // MARK: Remarks

    /// Gives a record a review's state.
    func review(
        _ entry: EntrySelector, in room: OpenRoom, _ request: ReviewRequest
    ) async throws -> RemarkAnswer {
        guard let state = ReviewState(typed: request.state) else {
            let known = ReviewState.allCases.map(\.rawValue)
            throw Problem(
                .badRequest, "no review state \"\(request.state.prefix(80))\"",
                hint: Suggestion.hint(
                    for: request.state, among: known,
                    otherwise: "There are " + known.joined(separator: ", ") + "."))
        }
        let note = try request.comment.map(Self.remark)
        return try await change(entry, in: room) { detail, schema, _ in
            Change(
                operations: [.review(detail.name, state: state.rawValue, note: note)],
                state: state.rawValue,
                answer: Self.remark(on: detail, schema, state: state.rawValue))
        }
    }

    /// Adds a remark to a record.
    func comment(
        _ entry: EntrySelector, in room: OpenRoom, _ request: CommentRequest
    ) async throws -> RemarkAnswer {
        let text = try Self.remark(request.text)
        return try await change(entry, in: room) { detail, schema, _ in
            Change(
                operations: [.comment(detail.name, text: text)],
                answer: Self.remark(on: detail, schema, state: detail.review?.state))
        }
    }

    private static func remark(
        on detail: RecordDetail, _ schema: FormSchema, state: String?
    ) -> RemarkAnswer {
        RemarkAnswer(
            id: detail.name.id.text, form: detail.name.form, key: schema.name(of: detail.values),
            state: state)
    }

    /// Bytes of a comment: a page of text, not a document.
    private static let longestRemark = 16 << 10

    private static func remark(_ text: String) throws -> String {
        guard text.utf8.count <= longestRemark else {
            throw Problem(
                .badRequest, "the comment is longer than \(longestRemark >> 10) KiB",
                hint: "Say it shorter.")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw Problem(.badRequest, "the comment is empty", hint: "Say something: TEXT.")
        }
        return text
    }
}
