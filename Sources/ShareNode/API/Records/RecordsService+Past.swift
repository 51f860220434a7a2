import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// What was done to records: histories, conflicts, what was refused.
extension RecordsWork {
    /// Operations that a history shows where no other number is asked for.
    private static let historyLimit = 1_000
    /// Records that a page of conflicts tells of.
    static let pageLimit = 1_000

    /// The operations on a record, also a deleted one, oldest first.
    func history(_ id: String, _ query: HTTPFields) async throws -> [HistoryEntry] {
        let limit = try RecordsPageText.limit(query, otherwise: Self.historyLimit)
        let forms = await room.store.forms()
        let name = try await readers.reader(of: room).find(id, in: forms, deleted: true)
        guard let info = await room.store.form(name.form) else {
            throw StoreError.unknownRecord(id)
        }
        let entry = FormsEntry(info)
        let versions = try await room.store.history(of: name, limit: limit)
        var labels: [OperationName: String] = [:]
        for version in versions where version.isPending {
            labels[version.version] = "pending:\(labels.count + 1)"
        }
        func label(_ name: OperationName) -> String { labels[name] ?? name.text }
        let names = await self.names(of: versions.map(\.author))
        return versions.map { version in
            HistoryEntry(
                version: label(version.version), author: version.author.text,
                authorName: names[version.author], at: RecordsMoment.text(version.at),
                kind: version.kind.word, changed: Self.changed(version, entry),
                kept: Self.json(version.kept, entry),
                verified: version.isVerified, bases: version.bases.map(label),
                parallel: version.parallel.map(label), head: version.isHead,
                refused: version.refusal, note: version.note)
        }
    }

    private static func changed(_ version: RecordHistory, _ entry: FormsEntry) -> JSONObject {
        var changed = JSONObject()
        if let deletion = version.deletion {
            changed["_deleted"] = .array([deletion.before.json, deletion.after.json])
        }
        if let review = version.review {
            changed["_state"] = .array([review.before.json, review.after.json])
        }
        for change in version.changes {
            changed[entry.name(of: .field(change.field))] = .array([
                entry.json(change.before, of: change.field),
                entry.json(change.after, of: change.field),
            ])
        }
        return changed
    }

    // MARK: Conflicts

    /// A page of conflicts, with what to say beside it.
    func conflicts(
        _ query: HTTPFields
    ) async throws -> (answers: [ConflictAnswer], notices: [String]) {
        let page = try await room.store.conflicts(
            after: RecordsPageText.after(query),
            limit: RecordsPageText.limit(query, otherwise: Self.pageLimit))
        let names = await self.names(
            of: page.items.flatMap { [$0.winner.author] + $0.losers.map(\.author) })
        let entries = await entries()
        var notices = more(page.items.last?.record, page.hasMore, "")
        let parallel = try await room.store.counts().parallel
        if parallel > 0, query["after"] == nil {
            notices.append(
                "\(parallel) \(parallel == 1 ? "record was" : "records were") changed on several "
                    + "sides, unseen by each other, in other fields: "
                    + "shared conflicts --parallel")
        }
        let answers = page.items.map { conflict in
            let entry = entries[conflict.record.form]
            func side(_ side: RecordConflict.Side) -> ConflictValue {
                ConflictValue(
                    value: Self.json(side.value, of: conflict.field, entry),
                    author: side.author.text, authorName: names[side.author],
                    at: RecordsMoment.text(side.at), version: side.version?.text ?? "pending",
                    changed: side.changes.isEmpty ? nil : Self.json(side.changes, entry))
            }
            return ConflictAnswer(
                record: conflict.record.id.text, creator: conflict.record.creator.text,
                form: conflict.record.form,
                field: entry?.name(of: conflict.field) ?? conflict.field.shownName,
                winner: side(conflict.winner), losers: conflict.losers.map(side))
        }
        return (answers, notices)
    }

    /// A page of parallel updates, with what to say beside it.
    func parallelUpdates(
        _ query: HTTPFields
    ) async throws -> (answers: [ParallelAnswer], notices: [String]) {
        let page = try await room.store.parallelUpdates(
            after: RecordsPageText.after(query),
            limit: RecordsPageText.limit(query, otherwise: Self.pageLimit))
        let names = await self.names(of: page.items.flatMap { $0.branches.map(\.author) })
        let entries = await entries()
        let answers = page.items.map { update in
            ParallelAnswer(
                record: update.record.id.text, creator: update.record.creator.text,
                form: update.record.form,
                branches: update.branches.map { branch in
                    ParallelBranch(
                        version: branch.version?.text ?? "pending", author: branch.author.text,
                        authorName: names[branch.author], at: RecordsMoment.text(branch.at),
                        changed: Self.json(branch.changes, entries[update.record.form]),
                        deleted: branch.isDeleted, state: branch.state)
                })
        }
        return (answers, more(page.items.last?.record, page.hasMore, " --parallel"))
    }

    private func more(_ last: RecordName?, _ hasMore: Bool, _ option: String) -> [String] {
        guard hasMore, let last else { return [] }
        return ["there are more: shared conflicts\(option) --after \(RecordsPageText.text(last))"]
    }

    private func entries() async -> [String: FormsEntry] {
        Dictionary(
            await room.store.forms().map { ($0.formID, FormsEntry($0)) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func json(
        _ value: FieldValue, of field: RecordField, _ entry: FormsEntry?
    ) -> JSONValue {
        switch field {
        case .field(let field): entry?.json(value, of: field) ?? RecordsValues.json(value)
        case .deleted: (value == .integer(1)).json
        case .reviewState: RecordsValues.json(value)
        }
    }

    private static func json(_ changes: [RecordEntry], _ entry: FormsEntry?) -> JSONObject {
        var object = JSONObject()
        for change in changes {
            object[entry?.name(of: .field(change.field)) ?? change.field.name] = json(
                change.value, of: .field(change.field), entry)
        }
        return object
    }

    private func names(of keys: [DeviceKey]) async -> [DeviceKey: String] {
        var names: [DeviceKey: String] = [:]
        for key in Set(keys) { names[key] = await name(of: key) }
        return names
    }
}

extension OperationName {
    /// The batch in hexadecimal and the place in it.
    var text: String { Hex.encode(batch.bytes) + ":\(index)" }
}
