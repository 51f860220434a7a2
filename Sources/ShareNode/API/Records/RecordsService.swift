import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Finds, shows and lists records.
struct RecordsService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let schemas: SchemaCache
    let readers: RoomReaders
    let find: FindService
    let surroundings: EntrySurroundings

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
        let form = schema.info.formID
        let name = "\(form) \(entry.key.joined(separator: " "))"
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
                entry.key[0], in: forms.filter { $0.formID == form }, deleted: deleted),
            named.form == form
        {
            return named
        }
        if let wrong { throw wrong }
        guard let first = all.first else {
            let near = try await EntryLookup(schema, entry.key).near(reader)
            guard !near.isEmpty else { throw StoreError.unknownRecord(name) }
            throw Problem(
                .notFoundRecord, "no entry \"\(name)\"",
                hint: "Nearest: \(near.joined(separator: ", ")).")
        }
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
            hint: "Give one's id in the place of \(name.prefix(120)): \(first), for instance.")
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
            remarks = KeptEntryCheck(schema, surroundings).findings(row).members
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
        let schema = try await find.schemas.find(formID, in: room)
        let devices = Array(try await room.store.view().standings.keys)
        var query = try await find.query(fields, of: schema, in: room)
        var head = fields["head"] == "true" ? Self.head(of: schema) : nil
        head?.earlier = try await find.earlier(fields, of: schema, in: room) ?? []
        if head != nil, query.limit != nil, !query.conditions.isEmpty {
            let reader = try await find.reader(of: room, isFlagged: query.readsFlags)
            let most = ListHead.mostFitting
            let found = try await reader.count(
                schema.info, where: query.conditions, upTo: most + 1)
            head?.fitting = min(found, most)
            head?.fitsMore = found > most
        }
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

    /// The entry that is there with the key of these values of the form's columns, as a sentence;
    /// nil where there is none.
    func duplicate(
        of values: [FieldValue], _ schema: FormSchema, besides name: RecordName?,
        in room: OpenRoom
    ) async throws -> String? {
        let positions = schema.keyPlaces
        guard let key = schema.key(of: values) else { return nil }
        let info = schema.info
        let conditions = positions.map { position in
            RecordQuery.Condition(.column(info.columns[position].name), equals: values[position])
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
}
