import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Lists, shows, enters and changes records.
struct RecordsService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let entering: Entering
    let schemas: SchemaCache
    let readers: RoomReaders

    // MARK: Looking

    /// A record that is shown, with its form.
    ///
    /// - Throws: `StoreError.unknownRecord`, `.ambiguousRecord`; `Problem` for a deleted one.
    private func find(
        _ id: String, in room: OpenRoom
    ) async throws -> (row: RecordRow, schema: FormSchema) {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        let name = try await self.name(id, reader, forms)
        guard let info = forms.first(where: { $0.formID == name.form }),
            let row = try await reader.record(name, in: info)
        else { throw StoreError.unknownRecord(id) }
        return (row, schemas.schema(of: info))
    }

    private func name(
        _ id: String, _ reader: RoomReader, _ forms: [FormInfo]
    ) async throws -> RecordName {
        do {
            return try await reader.find(id, in: forms)
        } catch StoreError.unknownRecord {
            let short = try await reader.find(id, in: forms, deleted: true).id.text.suffix(8)
            throw Problem(
                .notFoundRecord, "entry \(id.prefix(80)) is deleted",
                hint: "Bring it back: `shared restore \(short)`; or see who deleted it: "
                    + "`shared history \(short)`.")
        }
    }

    /// The record that somebody means.
    ///
    /// - Parameter deleted: whether it may be a deleted one.
    /// - Throws: as `find`.
    func name(_ id: String, in room: OpenRoom, deleted: Bool) async throws -> RecordName {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        return deleted
            ? try await reader.find(id, in: forms, deleted: true)
            : try await name(id, reader, forms)
    }

    /// What to say beside entries: what others change in them no contributor is sent.
    func notices(about room: OpenRoom) async -> [String] {
        let role = await room.store.authority().currentRole(of: own.key)
        guard role?.readsAll == false else { return [] }
        return ["as you sent it: what others change is not sent to a contributor"]
    }

    /// A record with its review, its comments, and whether it is in conflict.
    func show(_ id: String, in room: OpenRoom) async throws -> [UInt8] {
        let (row, schema) = try await find(id, in: room)
        var text = RecordsJSONEncoder.object(row, schema)
        let remarks = try await remarks(room.store.detail(of: row.name), schema)
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
        let schema = try await schemas.find(formID, in: room)
        let devices = Array(try await room.store.view().standings.keys)
        let query = try RecordsQueryText(schema: schema, devices: devices).query(fields)
        return try RecordsStream(
            RecordsJSONEncoder(schema, .list), of: schema, query, path: room.store.path)
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
            let given = try RecordsValues.read(request.values, of: schema)
            let values = schema.form.stored.indices.map { given[$0] ?? .absent }
            try schema.parser.check(values)
            let fields = values.indices.filter { values[$0] != .absent }
            let rows = NewRows(
                definition: schema.info.definition, fields: fields,
                rows: [fields.map { values[$0] }])
            return Entering.Entry(
                changes: [.put(rows)],
                news: RecordNews(.put, form: schema.info.formID, author: own.key), answer: ())
        }
        return AddedAnswer(id: entered.records.first?.id.text ?? "")
    }

    /// Operations that change one record, and what is answered when they are entered.
    struct Change<Answer: Sendable>: Sendable {
        var operations: [LocalChange]
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
    /// - Throws: as `find`, and `Problem` of `not_allowed`, before anything is written; what
    ///   `plan` throws.
    func change<Answer>(
        _ id: String, in room: OpenRoom, deleted: Bool = false,
        _ plan:
            @escaping @Sendable (RecordDetail, FormSchema, isolated RoomStore) throws
            -> Change<Answer>
    ) async throws -> Answer {
        let name = try await name(id, in: room, deleted: deleted)
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
                    change.operations.last?.kind ?? .edit, form: name.form, author: own.key,
                    record: name, fields: change.fields, state: change.state),
                answer: change.answer)
        }.answer
    }

    /// Writes the fields whose value is another now, or that are in conflict: then the value that
    /// shows is a decision as well.
    func edit(
        _ id: String, in room: OpenRoom, _ request: ValuesRequest
    ) async throws -> EditedAnswer {
        try await change(id, in: room) { detail, schema, _ in
            let given = try RecordsValues.read(request.values, of: schema)
            guard !given.isEmpty else {
                throw Problem(
                    .nothingToChange, "no field is named", hint: "Name some: FIELD=VALUE.")
            }
            let writes = try ConflictResolution(detail: detail, schema: schema).writes(given)
            let fields = writes.map { schema.form.stored[$0.field].name }
            return Change(
                operations: writes.isEmpty
                    ? []
                    : [.edit(detail.name, definition: schema.info.definition, values: writes)],
                fields: fields,
                answer: EditedAnswer(id: detail.name.id.text, changed: fields))
        }
    }

    /// Deletes a record; its history stays. Of a record that somebody changed while another
    /// deleted it, this confirms that it is deleted.
    func delete(_ id: String, in room: OpenRoom) async throws -> EditedAnswer {
        try await change(id, in: room, deleted: true) { detail, schema, _ in
            let short = detail.name.id.text.suffix(8)
            let isInConflict = detail.conflicts.contains { $0.field == .deleted }
            guard !detail.isDeleted || isInConflict else {
                throw Problem(
                    .notFoundRecord, "entry \(short) is deleted already",
                    hint: "See who deleted it: `shared history \(short)`.")
            }
            return Change(
                operations: [.delete(detail.name)],
                answer: EditedAnswer(
                    id: detail.name.id.text,
                    changed: zip(schema.names, detail.values).filter { $0.1 != .absent }.map(\.0)))
        }
    }

    /// Brings back a deleted record.
    func restore(_ id: String, in room: OpenRoom) async throws -> RemarkAnswer {
        try await change(id, in: room, deleted: true) { detail, _, _ in
            let isInConflict = detail.conflicts.contains { $0.field == .deleted }
            guard detail.isDeleted || isInConflict else {
                throw Problem(
                    .nothingToChange, "entry \(detail.name.id.text.suffix(8)) is not deleted",
                    hint: "An earlier value is brought back with: `shared edit ID FIELD=VALUE`.")
            }
            return Change(
                operations: [.restore(detail.name)],
                answer: RemarkAnswer(id: detail.name.id.text, state: detail.review?.state))
        }
    }

    // MARK: Remarks

    /// Gives a record a review's state.
    func review(
        _ id: String, in room: OpenRoom, _ request: ReviewRequest
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
        return try await change(id, in: room) { detail, _, _ in
            Change(
                operations: [.review(detail.name, state: state.rawValue, note: note)],
                state: state.rawValue,
                answer: RemarkAnswer(id: detail.name.id.text, state: state.rawValue))
        }
    }

    /// Adds a remark to a record.
    func comment(
        _ id: String, in room: OpenRoom, _ request: CommentRequest
    ) async throws -> RemarkAnswer {
        let text = try Self.remark(request.text)
        return try await change(id, in: room) { detail, _, _ in
            Change(
                operations: [.comment(detail.name, text: text)],
                answer: RemarkAnswer(id: detail.name.id.text, state: detail.review?.state))
        }
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
