import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// What the routes of records do.
struct RecordsWork: Sendable {
    let node: Node
    let room: OpenRoom
    let readers: RecordsReaders

    // MARK: Looking

    /// A record that is shown, with its form.
    ///
    /// - Throws: `StoreError.unknownRecord`, `.ambiguousRecord`; `Problem` for a deleted one.
    func find(_ id: String) async throws -> (row: RecordRow, entry: FormsEntry) {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        let name = try await self.name(id, reader, forms)
        guard let info = forms.first(where: { $0.formID == name.form }),
            let row = try await reader.record(name, in: info)
        else { throw StoreError.unknownRecord(id) }
        return (row, FormsEntry(info))
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

    /// What there is to say of a record.
    ///
    /// - Parameter deleted: whether it may be a deleted one.
    /// - Throws: as `find`.
    func detail(_ id: String, deleted: Bool) async throws -> RecordDetail {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        let name =
            deleted
            ? try await reader.find(id, in: forms, deleted: true)
            : try await self.name(id, reader, forms)
        return try await room.store.detail(of: name)
    }

    /// What to say beside entries: what others change in them no contributor is sent.
    func notices() async -> [String] {
        let role = await room.store.authority().currentRole(of: node.identity.key)
        guard role?.readsAll == false else { return [] }
        return ["as you sent it: what others change is not sent to a contributor"]
    }

    /// A record with its review, its comments, and whether it is in conflict.
    func show(_ id: String) async throws -> [UInt8] {
        let (row, entry) = try await find(id)
        var text = RecordsJSONEncoder.object(row, entry)
        let remarks = try await remarks(room.store.detail(of: row.name), entry)
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

    private func remarks(_ detail: RecordDetail, _ entry: FormsEntry) async -> JSONObject {
        var remarks = JSONObject()
        func remark(_ remark: RecordDetail.Remark) async -> JSONObject {
            [
                "author": remark.author.text.json,
                "author_name": await name(of: remark.author).json,
                "at": RecordsMoment.text(remark.at).json, "text": remark.text.json,
            ]
        }
        if let review = detail.review { remarks["_review"] = .object(await remark(review)) }
        var comments: [JSONValue] = []
        for comment in detail.comments { comments.append(.object(await remark(comment))) }
        if !comments.isEmpty { remarks["_comments"] = .array(comments) }
        if !detail.conflicts.isEmpty {
            remarks["_conflicts"] = .array(detail.conflicts.map { entry.name(of: $0.field).json })
        }
        return remarks
    }

    /// The records that a request asks for, ready to be sent.
    func list(_ formID: String, _ fields: HTTPFields) async throws
        -> RecordsStream<RecordsJSONEncoder>
    {
        let entry = try await FormsEntry.find(formID, in: room)
        let devices = Array(try await room.store.view().standings.keys)
        let query = try RecordsQueryText(entry: entry, devices: devices).query(fields)
        return try RecordsStream(
            RecordsJSONEncoder(entry, .list), of: entry, query, path: room.store.path)
    }

    // MARK: Changing

    /// Enters a record; it is on the disk when this returns.
    func add(_ formID: String, _ request: ValuesRequest) async throws -> AddedAnswer {
        let entry = try await FormsEntry.find(formID, in: room)
        // Before anybody is asked for what would be refused anyway.
        try RecordsPermission(await room.store.authority().currentRole(of: node.identity.key))
            .requireAdd()
        let given = try RecordsValues.read(request.values, of: entry)
        let values = entry.form.stored.indices.map { given[$0] ?? .absent }
        try entry.parser.check(values)
        let fields = values.indices.filter { values[$0] != .absent }
        let rows = NewRows(
            definition: entry.info.definition, fields: fields, rows: [fields.map { values[$0] }])
        let names = try await room.store.append([.put(rows)], wall: Node.wall())
        await node.tell(
            RecordNews(
                .put, form: entry.info.formID, author: node.identity.key, record: names.first),
            in: room)
        await node.noteEntry(in: room.id)
        return AddedAnswer(id: names.first?.id.text ?? "")
    }

    /// Writes the fields whose value is another now, or that are in conflict: then the value that
    /// shows is a decision as well.
    func edit(_ id: String, _ request: ValuesRequest) async throws -> EditedAnswer {
        let detail = try await detail(id, deleted: false)
        let entry = FormsEntry(detail.form)
        let given = try RecordsValues.read(request.values, of: entry)
        guard !given.isEmpty else {
            throw Problem(
                .nothingToChange, "no field is named", hint: "Name some: FIELD=VALUE.")
        }
        let changes = try RecordsSettling(detail: detail, entry: entry).writes(given)
        guard !changes.isEmpty else {
            return EditedAnswer(id: detail.name.id.text, changed: [])
        }
        try await enter(
            [.edit(detail.name, definition: entry.info.definition, values: changes)], detail,
            fields: changes.map { entry.form.stored[$0.field].name })
        return EditedAnswer(
            id: detail.name.id.text, changed: changes.map { entry.form.stored[$0.field].name })
    }

    /// Deletes a record; its history stays. Of a record that somebody changed while another
    /// deleted it, this confirms that it is deleted.
    func delete(_ id: String) async throws -> EditedAnswer {
        let detail = try await detail(id, deleted: true)
        let short = detail.name.id.text.suffix(8)
        guard !detail.isDeleted || detail.conflicts.contains(where: { $0.field == .deleted }) else {
            throw Problem(
                .notFoundRecord, "entry \(short) is deleted already",
                hint: "See who deleted it: `shared history \(short)`.")
        }
        try await enter([.delete(detail.name)], detail)
        let names = FormsEntry(detail.form).names
        return EditedAnswer(
            id: detail.name.id.text,
            changed: zip(names, detail.values).filter { $0.1 != .absent }.map(\.0))
    }

    /// Enters what somebody did to one record, if the room's rules allow it.
    ///
    /// - Throws: `Problem` of `not_allowed`, before anything is written.
    func enter(
        _ changes: [LocalChange], _ detail: RecordDetail, fields: [String] = [],
        state: String? = nil
    ) async throws {
        let permission = RecordsPermission(
            await room.store.authority().currentRole(of: node.identity.key))
        let creator = detail.name.creator
        let whose =
            node.formerKeys.contains(creator)
            ? "yours, as \(creator.short) before" : "of \(await node.called(creator))"
        // Also who settles nothing after all must be somebody who may.
        let kinds = changes.isEmpty ? [.edit] : changes.map(\.kind)
        for kind in kinds {
            try permission.require(
                kind, own: creator == node.identity.key, creator: whose)
        }
        try await room.store.append(changes, wall: Node.wall())
        await node.tell(
            RecordNews(
                kinds.last ?? .edit, form: detail.name.form, author: node.identity.key,
                record: detail.name,
                fields: fields, state: state),
            in: room)
        await node.noteEntry(in: room.id)
    }

    /// The name of a device as it is known here.
    func name(of key: DeviceKey) async -> String? {
        if key == node.identity.key { return node.name }
        let name = await node.reach.peerName(key)
        return name == key.short ? nil : name
    }
}
