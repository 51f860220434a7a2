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
    let peers: Peers

    /// What to say beside entries, and figures of them: no contributor is sent what others enter.
    func notices(about room: OpenRoom) async -> [String] {
        let role = await room.store.authority().currentRole(of: own.key)
        guard role?.readsAll == false else { return [] }
        return ["this device is a contributor: what others enter and change is not sent to it"]
    }

    /// The same beside entries that a request chooses, and that a name in it is that of several
    /// devices: entries of each of them are meant.
    func notices(about room: OpenRoom, _ fields: HTTPFields) async -> [String] {
        var notices = await notices(about: room)
        let conditions = fields.values(of: "where").compactMap { ShortCondition($0) }.filter {
            ["_author", "author"].contains($0.name) && $0.sign == .compare(.equal)
        }
        let wanted = fields.values(of: "author") + conditions.map { $0.unquoted?.value ?? $0.value }
        guard !wanted.isEmpty, let devices = try? await memberNames(room) else { return notices }
        for name in Set(wanted.map { FoldedText.fold($0) }).sorted() {
            let named = devices.filter { FoldedText.fold($0.value) == name }
            guard named.count > 1, let called = named.first?.value else { continue }
            let ids = named.keys.map(\.short).sorted()
            notices.append(
                "\(named.count) devices are called \(called), and all of them are meant; for one:"
                    + " _author=\(ids.joined(separator: " or _author="))")
        }
        return notices
    }

    /// The same beside one entry.
    func notices(about room: OpenRoom, showing entry: EntrySelector) async -> [String] {
        let notices = await notices(about: room)
        guard !notices.isEmpty, let name = try? await name(entry, in: room, for: .look()),
            own.keys.contains(name.creator)
        else { return notices }
        return ["as you sent it: what others change is not sent to a contributor"]
    }

    /// Whose a record is, at the end of a sentence.
    func whose(_ name: RecordName) async -> String {
        own.formerKeys.contains(name.creator)
            ? "yours, as \(name.creator.short) before"
            : "of \(await names.called(name.creator))"
    }

    /// A record with its review, its comments, and whether it is in conflict.
    func show(_ entry: EntrySelector, in room: OpenRoom) async throws -> [UInt8] {
        let name = try await name(entry, in: room, for: .look())
        let reader = try await readers.reader(of: room)
        guard let info = await room.store.form(name.form) else {
            throw StoreError.unknownRecord(entry.text)
        }
        guard let row = try await reader.record(name, in: info, wantsOrigin: true) else {
            try requireShown(
                await room.store.perform { try $0.enclosing(try $0.detail(of: name)) })
            throw StoreError.unknownRecord(entry.text)
        }
        let schema = schemas.schema(of: info)
        var text = RecordsJSONEncoder.object(
            row, schema, names: await names.known([name.creator]))
        var remarks = JSONObject()
        if KeptEntryCheck.isNeeded(for: schema) {
            remarks = KeptEntryCheck(schema, surroundings).findings(row).members
        }
        remarks.members += try await self.remarks(room.store.detail(of: row.name), row, schema)
            .members
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

    private func remarks(
        _ detail: RecordDetail, _ row: RecordRow, _ schema: FormSchema
    ) async -> JSONObject {
        var remarks = JSONObject()
        func remark(_ remark: RecordDetail.Remark) async -> JSONObject {
            [
                "author": remark.author.text.json,
                "author_name": await names.known(remark.author).json,
                "at": RecordTimestamp.text(remark.at).json, "text": remark.text.json,
            ]
        }
        if let review = detail.review {
            var said = await remark(review)
            if detail.isChangedSinceReview(of: row) { said["changed_since"] = .bool(true) }
            remarks["_review"] = .object(said)
        }
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
        if head != nil {
            // What is none is told by whoever shows them.
            head?.wanted = schema.columns(fields)?.map { (try? schema.column($0)) ?? $0 }
            head?.earlier =
                try await find.earlier(
                    fields, about: schema.columns(fields) ?? [], of: schema, in: room) ?? []
        }
        if head != nil, !schema.form.isRepeat, !fields.values(of: "where").isEmpty {
            let text = try await find.conditionText(schema, in: room)
            let reader = try await find.reader(of: room, isFlagged: query.readsFlags)
            if fields.values(of: "where").contains(where: { text.part(of: $0) != nil }),
                try await reader.count(schema.info, where: query.conditions, upTo: 1) == 0
            {
                head?.alike = try await find.alike(fields, text, reader)
            }
        }
        if head != nil, query.limit != nil, !query.conditions.isEmpty {
            let reader = try await find.reader(of: room, isFlagged: query.readsFlags)
            let most = ListHead.mostFitting
            let found = try await reader.count(
                schema.info, where: query.conditions, upTo: most + 1)
            head?.fitting = min(found, most)
            head?.fitsMore = found > most
        }
        if head != nil, let since = fields["since"], !schema.form.isRepeat {
            // What is gone is in no list.
            let text = try await find.conditionText(schema, in: room)
            head?.deleted = try await readers.reader(of: room)
                .countDeletions(of: schema.info, since: text.since(since))
        }
        query.wantsTrails = head != nil
        if query.wantsTrails, try await peers.sealedOnlyHere(in: room).all > 0 {
            query.reach = try await room.store.reach(of: own.keys)
        }
        let entry =
            head != nil && schema.form.isRepeat
            ? try await find.schemas.find(
                FormDefinition.outermostForm(of: schema.info.formID), in: room)
            : nil
        return try RecordsStream(
            RecordsJSONEncoder(
                schema, .list, names: await names.known(devices), head: head,
                columns: head == nil ? try Self.columns(fields, schema) : nil, entry: entry),
            of: schema, query, path: room.store.path,
            hasFlags: try await find.readsFlags(query, of: schema, in: room))
    }

    /// The fields that a list is asked for; nil for all. With a head all come, which show whoever
    /// makes a table of them what else there is.
    static func columns(_ fields: HTTPFields, _ schema: FormSchema) throws -> [String]? {
        try schema.columns(fields).map { try $0.map(schema.column) }
    }

    static func head(of schema: FormSchema) -> ListHead {
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

    /// Bytes of a key that a sentence has.
    private static let shownKey = 200

    /// The entry that is there with the key of these values of the form's columns, or with one
    /// that differs in upper and lower case alone, as a sentence; nil where there is none.
    func duplicate(
        of values: [FieldValue], _ schema: FormSchema, besides name: RecordName?,
        in room: OpenRoom
    ) async throws -> String? {
        guard let key = schema.key(of: values) else { return nil }
        let info = schema.info
        let reader = try await readers.reader(of: room)
        for cased in CasedKey.allCases {
            var wanted = values
            for place in schema.keyPlaces {
                wanted[place] = cased.value(values[place], schema.form.stored[place])
            }
            let written = schema.key(of: wanted) ?? ""
            guard cased == .asGiven || written != key else { continue }
            let conditions = schema.keyPlaces.map { place in
                RecordQuery.Condition(.column(info.columns[place].name), equals: wanted[place])
            }
            let same = try await reader.latest(info, where: conditions, limit: 5)
                .filter { $0.name != name }
            guard let first = same.first else { continue }
            let more =
                same.count > 1 ? ", and more: `shared list \(info.formID) --duplicates`" : ""
            // A long one says no more than its beginning.
            let shown = key.shortened(to: Self.shownKey)
            let what =
                cased == .asGiven
                ? "\(info.formID) \(shown) is there already"
                : "\(info.formID) \(shown) is written like "
                    + "\(written.shortened(to: Self.shownKey)), which is there already"
            return "\(what) (\(first.name.id.text.suffix(8)), by "
                + "\(await names.called(first.name.creator)), "
                + "\(RecordTimestamp.text(first.created).prefix(10))"
                + "\(first.isWithheld ? ", on this device alone" : ""))\(more)"
        }
        return nil
    }
}

/// The ways in which people write one key.
private enum CasedKey: CaseIterable {
    case asGiven, upper, lower

    func value(_ value: FieldValue, _ field: Form.Field) -> FieldValue {
        // Choices are names of the form, whoever types them.
        guard case .text(let text) = value, field.list == nil else { return value }
        return switch self {
        case .asGiven: value
        case .upper: .text(text.uppercased())
        case .lower: .text(text.lowercased())
        }
    }
}
