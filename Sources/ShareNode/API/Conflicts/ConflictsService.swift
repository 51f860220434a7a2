import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Lists the conflicts of records, and resolves them.
struct ConflictsService: Sendable {
    let names: DeviceNames
    let schemas: SchemaCache
    let editor: RecordsEditor

    /// Records that a page of conflicts tells of.
    private static let pageLimit = 1_000

    /// A page of conflicts, with what to say beside it.
    func conflicts(
        in room: OpenRoom, _ query: HTTPFields
    ) async throws -> (answers: [ConflictAnswer], notices: [String]) {
        let page = try await room.store.conflicts(
            after: RecordsPageText.after(query),
            limit: RecordsPageText.limit(query, otherwise: Self.pageLimit))
        let keys = try await keys(of: page.items.map(\.record), in: room)
        let names = await names.known(
            page.items.flatMap { [$0.winner.author] + $0.losers.map(\.author) })
        let schemas = await schemas.all(in: room)
        var notices = more(page.items.last?.record, page.hasMore, "")
        let parallel = try await room.store.counts().parallel
        if parallel > 0, query["after"] == nil {
            notices.append(
                "\(parallel) \(parallel == 1 ? "entry was" : "entries were") changed on several "
                    + "sides, unseen by each other, in other fields: "
                    + "shared conflicts --parallel")
        }
        // Who changed rows alone has written nothing of the entry.
        let left = try await self.answers(
            leftIn: Set(
                page.items.filter { conflict in
                    conflict.field == .deleted
                        && conflict.losers.contains { $0.value == .absent && $0.changes.isEmpty }
                }.map(\.record)), in: room)
        var answers = page.items.map { conflict in
            let schema = schemas[conflict.record.form]
            func side(_ side: RecordConflict.Side) -> ConflictValue {
                var changed = side.changes.isEmpty ? nil : RecordsValues.json(side.changes, schema)
                if conflict.field == .deleted, side.value == .absent, changed == nil {
                    let rows = left[conflict.record]?.last {
                        $0.author == side.author && $0.at == side.at
                    }
                    changed = rows?.answers ?? JSONObject()
                }
                var shown: String?
                if case .field(let field) = conflict.field {
                    shown = schema?.shown(side.value, of: field)
                }
                return ConflictValue(
                    value: RecordsValues.json(side.value, of: conflict.field, schema),
                    shown: shown, author: side.author.text, authorName: names[side.author],
                    at: RecordTimestamp.text(side.at), version: side.version?.text ?? "pending",
                    changed: changed)
            }
            return ConflictAnswer(
                record: conflict.record.id.text, creator: conflict.record.creator.text,
                form: conflict.record.form, key: keys[conflict.record],
                field: schema?.name(of: conflict.field) ?? conflict.field.shownName,
                winner: side(conflict.winner), losers: conflict.losers.map(side))
        }
        if !page.hasMore { answers += try await leftRows(in: room) }
        return (answers, notices)
    }

    /// A page of parallel updates, with what to say beside it.
    func parallelUpdates(
        in room: OpenRoom, _ query: HTTPFields
    ) async throws -> (answers: [ParallelAnswer], notices: [String]) {
        let page = try await room.store.parallelUpdates(
            after: RecordsPageText.after(query),
            limit: RecordsPageText.limit(query, otherwise: Self.pageLimit))
        let keys = try await keys(of: page.items.map(\.record), in: room)
        let names = await names.known(page.items.flatMap { $0.branches.map(\.author) })
        let schemas = await schemas.all(in: room)
        let answers = page.items.map { update in
            ParallelAnswer(
                record: update.record.id.text, creator: update.record.creator.text,
                form: update.record.form, key: keys[update.record],
                branches: update.branches.map { branch in
                    ParallelBranch(
                        version: branch.version?.text ?? "pending", author: branch.author.text,
                        authorName: names[branch.author], at: RecordTimestamp.text(branch.at),
                        changed: RecordsValues.json(branch.changes, schemas[update.record.form]),
                        deleted: branch.isDeleted, state: branch.state)
                })
        }
        return (answers, more(page.items.last?.record, page.hasMore, " --parallel"))
    }

    /// The keys of records, by which people name them, where they have one; of a row that of the
    /// entry that it is in.
    func keys(
        of records: [RecordName], in room: OpenRoom
    ) async throws -> [RecordName: String] {
        try await room.store.perform { store in
            var keys: [RecordName: String] = [:]
            for record in Set(records) {
                let detail = try store.detail(of: record)
                // A deleted entry, too, is known by its key.
                if let entry = try store.entry(above: detail) {
                    keys[record] = schemas.schema(of: entry.form).name(of: entry.values)
                } else {
                    keys[record] = schemas.schema(of: detail.form).key(of: detail.values)
                }
            }
            return keys
        }
    }

    private func more(_ last: RecordName?, _ hasMore: Bool, _ option: String) -> [String] {
        guard hasMore, let last else { return [] }
        return ["there are more: shared conflicts\(option) --after \(RecordsPageText.text(last))"]
    }

    /// Resolves a record's conflicts by ordinary operations that have seen all that is there.
    ///
    /// - Throws: `Problem` of `nothing_to_change`, `not_allowed`; `ValueError`.
    func resolve(
        _ entry: EntrySelector, in room: OpenRoom, _ request: ResolveRequest
    ) async throws -> ResolvedAnswer {
        if let path = request.values.members.first(where: { $0.key.contains("[") })?.key {
            throw Problem(
                .badRequest, "\(path.prefix(80)) is in a row, which is resolved by its own id",
                hint: "As `shared conflicts` shows it: `shared resolve ID --keep shown`, or"
                    + " `shared resolve ID FIELD=VALUE`.")
        }
        let (known, shown) = await editor.present(entry, in: room, for: .resolve)
        let read = RequestReading(known) { schema in
            var unread: [EntryFault] = []
            let given = try RecordsValues.read(
                schema.typed(request.values, at: editor.entering.wall()), of: schema,
                keeping: shown?.values ?? [], unread: &unread)
            if let problem = EntryCheck.problem(unread) { throw problem }
            return given
        }
        let (name, steps) = try await editor.change(entry, in: room, for: .resolve) {
            detail, schema, store in
            let given = try read.values(of: schema)
            let around = try store.enclosing(detail)
            // That the row stays deleted can be confirmed.
            if let gone = around.first(where: \.isDeleted),
                !detail.isDeleted || request.keep != .shown || !given.isEmpty
            {
                throw editor.records.isIn(
                    gone, .nothingToChange,
                    or: "leave it deleted: `shared resolve \(detail.name.id.text.suffix(8))"
                        + " --keep shown`")
            }
            var resolution = ConflictResolution(detail: detail, schema: schema)
            for case .field(let field) in detail.conflicts.map(\.field)
            where schema.index(of: .field(field)) == nil {
                resolution.older[field] = store.position(of: field, in: detail.form.formID)
            }
            let rows =
                schema.repeats.isEmpty || detail.isDeleted
                ? [] : try store.repeats(of: detail.name, in: schema.info)
            // Rows that are left in what is deleted stand against the deletion too.
            let isLeft =
                try detail.isDeleted && given.isEmpty && detail.conflicts.isEmpty
                && RecordsEditor.leavesRows(detail, in: store)
            if !isLeft, detail.conflicts.isEmpty, detail.parallel == nil {
                try Self.requireNoConflict(inRowsOf: detail, schema, rows, store)
            }
            let steps =
                isLeft
                ? try resolution.decide(request.keep)
                : try resolution.plan(given, keeping: request.keep) { values in
                    // What a row computes hangs on its entry, which is looked at below.
                    guard !detail.form.form.isRepeat else { return [:] }
                    return try schema.info.lists.checked {
                        editor.checks.contradicted(
                            EntryCheck.Present(values: values, rows: rows), of: schema)
                    }
                }
            let fields = steps.flatMap(\.fields)
            // What the entry, and its other rows, compute of it too.
            let operations = try editor.computed(
                (around.last ?? detail).name,
                after: withRows(steps.map(\.change), of: detail, schema, in: store), in: store)
            // Also who resolves nothing after all must be somebody who may.
            return RecordsEditor.Change(
                operations: operations, fields: fields,
                requires: steps.isEmpty ? [.edit] : [], answer: (detail.name, steps))
        }
        let after = try await room.store.detail(of: name)
        let schema = schemas.schema(of: after.form)
        let decides = steps.contains { [.delete, .restore].contains($0.change.kind) }
        return ResolvedAnswer(
            id: name.id.text, form: name.form, key: schema.name(of: after.values),
            changed: steps.flatMap(\.fields),
            deleted: decides ? after.isDeleted : nil,
            left: after.conflicts.map { schema.name(of: $0.field) })
    }

    /// Refuses to resolve an entry of which rows are in conflict and nothing else: each is resolved by
    /// its own id.
    private static func requireNoConflict(
        inRowsOf detail: RecordDetail, _ schema: FormSchema, _ rows: [[RecordRow]],
        _ store: isolated RoomStore
    ) throws {
        let fields = try RecordsEditor.conflictFields(ofRowsIn: schema, store)
        let ids = inConflict(rows, fields)
        guard let first = ids.first else { return }
        let told = EntryWords.some(ids.prefix(5).map { String($0) }, of: ids.count)
        throw Problem(
            .nothingToChange,
            "entry \(detail.name.id.text.suffix(8)) has no conflict of its own; of its rows"
                + " \(ids.count == 1 ? "one has" : "\(ids.count) have"): \(told)",
            hint: "A row is resolved by its own id: `shared resolve \(first) --keep shown`, or"
                + " `shared resolve \(first) FIELD=VALUE`.")
    }

    /// Those of some rows, and of the rows in them, that have fields in conflict: the ends of their ids.
    private static func inConflict(
        _ rows: [[RecordRow]], _ fields: [RecordName: [RecordField]]
    ) -> [Substring] {
        guard !fields.isEmpty else { return [] }
        return rows.joined().flatMap { row in
            (fields[row.name] == nil ? [] : [row.name.id.text.suffix(8)])
                + inConflict(row.repeats, fields)
        }
    }

    /// Decisions about a record with what they do to the rows of its repeats.
    private func withRows(
        _ decisions: [LocalChange], of detail: RecordDetail, _ schema: FormSchema,
        in store: isolated RoomStore
    ) throws -> [LocalChange] {
        let own = editor.records.own.key
        return try decisions
            + decisions.flatMap { change -> [LocalChange] in
                switch change.kind {
                case .restore:
                    return try RecordsEditor.restorations(
                        ofRowsOf: detail, schema, store, by: own)
                case .delete:
                    return try RecordsEditor.deletions(
                        ofRowsOf: detail, schema, store, by: own)
                default: return []
                }
            }
    }
}
