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
    /// - Throws: `StoreError.unknownRecord`, `.ambiguousRecord`.
    func find(_ id: String) async throws -> (row: RecordRow, entry: FormsEntry) {
        let forms = await room.store.forms()
        let reader = try await readers.reader(of: room)
        let name = try await reader.find(id, in: forms)
        guard let info = forms.first(where: { $0.formID == name.form }),
            let row = try await reader.record(name, in: info)
        else { throw StoreError.unknownRecord(id) }
        return (row, FormsEntry(info))
    }

    func show(_ id: String) async throws -> [UInt8] {
        let (row, entry) = try await find(id)
        return RecordsJSONEncoder.object(row, entry)
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
        let given = try RecordsValues.read(request.values, of: entry)
        let values = entry.form.stored.indices.map { given[$0] ?? .absent }
        try entry.parser.check(values)
        let fields = values.indices.filter { values[$0] != .absent }
        let rows = NewRows(
            definition: entry.info.definition, fields: fields, rows: [fields.map { values[$0] }])
        let names = try await room.store.append([.put(rows)], wall: Node.wall())
        await node.noteEntry(in: room.id)
        return AddedAnswer(id: names.first?.id.text ?? "")
    }

    /// Writes the fields whose value is another now.
    func edit(_ id: String, _ request: ValuesRequest) async throws -> EditedAnswer {
        let (row, entry) = try await find(id)
        let given = try RecordsValues.read(request.values, of: entry)
        guard !given.isEmpty else {
            throw Problem(
                .nothingToChange, "no field is named", hint: "name some: FIELD=VALUE")
        }
        var values = Array(row.values.prefix(entry.form.stored.count))
        let changed = given.keys.sorted().filter { place in
            !RecordsValues.areSame(values[place], given[place] ?? .absent)
        }
        for place in changed { values[place] = given[place] ?? .absent }
        for place in changed where entry.form.stored[place].isRequired {
            guard values[place] != .absent else {
                throw ValueError.required(field: entry.form.stored[place].name)
            }
        }
        try entry.parser.checkSize(values)
        guard !changed.isEmpty else {
            return EditedAnswer(id: row.name.id.text, changed: [])
        }
        try await requireMay("edit", row.name)
        try await room.store.append(
            [
                .edit(
                    row.name, definition: entry.info.definition,
                    values: changed.map {
                        LocalChange.FieldChange(field: $0, value: values[$0])
                    })
            ], wall: Node.wall())
        await node.noteEntry(in: room.id)
        return EditedAnswer(
            id: row.name.id.text, changed: changed.map { entry.form.stored[$0].name })
    }

    /// Deletes a record; its history stays.
    func delete(_ id: String) async throws -> EditedAnswer {
        let (row, entry) = try await find(id)
        try await requireMay("delete", row.name)
        try await room.store.append([.delete(row.name)], wall: Node.wall())
        await node.noteEntry(in: room.id)
        return EditedAnswer(
            id: row.name.id.text,
            changed: zip(entry.names, row.values).filter { $0.1 != .absent }.map(\.0))
    }

    /// Says before anything is written what every receiver would refuse.
    private func requireMay(_ what: String, _ name: RecordName) async throws {
        let role = await room.store.authority().currentRole(of: node.identity.key)
        if try RecordsPermission(role).mayChange(name, as: node.identity.key) { return }
        throw Problem(
            .notAllowed,
            "a \(role?.name ?? "non-member") may \(what) only records of its own; this one is "
                + "\(await node.reach.peerName(name.creator))'s",
            hint: "ask its author, or an editor of the room")
    }

    // MARK: History

    /// All versions of a record, deleted ones too where the id is given in full.
    func history(_ id: String) async throws -> [HistoryEntry] {
        let (versions, entry) = try await versions(of: id)
        var answers: [HistoryEntry] = []
        for version in versions {
            var changed = JSONObject()
            for change in version.changes {
                let place = entry.form.stored.firstIndex { $0.name == change.field }
                let isSeveral = place.map { entry.isSeveral($0) } ?? false
                changed[change.field] = .array([
                    RecordsValues.json(change.before, isSeveral: isSeveral),
                    RecordsValues.json(change.after, isSeveral: isSeveral),
                ])
            }
            if let state = version.state { changed["_state"] = .array([.null, .string(state)]) }
            answers.append(
                HistoryEntry(
                    version: version.version?.text ?? "pending", author: version.author.text,
                    authorName: await name(of: version.author),
                    at: RecordsMoment.text(version.at), kind: version.kind.label,
                    changed: changed, verified: version.version != nil))
        }
        return answers
    }

    private func versions(of id: String) async throws -> ([RecordHistory], FormsEntry) {
        do {
            let (row, entry) = try await find(id)
            return (try await room.store.history(of: row.name), entry)
        } catch let error as StoreError {
            guard case .unknownRecord = error, let id = RecordID(text: id) else { throw error }
            // It may be deleted; then it stands in no table, and anybody may have made it.
            let creators = try await room.store.view().standings.keys
            for info in await room.store.forms() {
                for creator in creators {
                    let name = RecordName(form: info.formID, creator: creator, id: id)
                    if let versions = try? await room.store.history(of: name) {
                        return (versions, FormsEntry(info))
                    }
                }
            }
            throw error
        }
    }

    func conflicts() async throws -> [ConflictAnswer] {
        var names: [DeviceKey: String] = [:]
        var answers: [ConflictAnswer] = []
        let conflicts = try await room.store.conflicts()
        for key in Set(conflicts.flatMap { [$0.winner.author] + $0.losers.map(\.author) }) {
            names[key] = await name(of: key)
        }
        for conflict in conflicts {
            func side(_ side: RecordConflict.Side) -> ConflictValue {
                ConflictValue(
                    value: RecordsValues.json(side.value), author: side.author.text,
                    authorName: names[side.author], at: RecordsMoment.text(side.at))
            }
            answers.append(
                ConflictAnswer(
                    record: conflict.record.id.text, form: conflict.record.form,
                    field: conflict.field, winner: side(conflict.winner),
                    losers: conflict.losers.map(side)))
        }
        return answers
    }

    func refused() async throws -> [RefusedAnswer] {
        var answers: [RefusedAnswer] = []
        for refused in try await room.store.refused() {
            answers.append(
                RefusedAnswer(
                    author: refused.author.text, authorName: await name(of: refused.author),
                    what: refused.what, reason: refused.reason, count: refused.count))
        }
        return answers
    }

    private func name(of key: DeviceKey) async -> String? {
        if key == node.identity.key { return node.name }
        let name = await node.reach.peerName(key)
        return name == key.short ? nil : name
    }
}

extension OperationName {
    /// The batch in hexadecimal and the place in it.
    var text: String { RecordsHex.text(batch.bytes) + ":\(index)" }
}

extension RecordsBlock.Kind {
    /// The word for a version of this kind in histories.
    var label: String {
        switch self {
        case .put: "put"
        case .edit: "edit"
        case .delete: "delete"
        case .restore: "restore"
        case .review: "review"
        case .comment: "comment"
        }
    }
}
