import ShareCore
import ShareCrypto

/// A record's past, read again from the batches that it is made of.
extension Room {
    /// The last batches that have been read again: a body may be large, and there may be as many
    /// of them as lines.
    private struct Opened {
        private static let limit = 4
        private var found: [(row: Int64, opened: (batch: Batch, body: Body)?)] = []

        subscript(row: Int64) -> (batch: Batch, body: Body)?? {
            found.first { $0.row == row }?.opened
        }

        mutating func keep(_ opened: (batch: Batch, body: Body)?, of row: Int64) {
            if found.count == Opened.limit { found.removeFirst() }
            found.append((row, opened))
        }
    }

    /// The operations on a record, oldest first, with what each changed in what its author had
    /// before it; refused ones too.
    ///
    /// - Parameter limit: of more only the latest are given.
    /// - Throws: `StoreError.unknownRecord`.
    func history(of name: RecordName, limit: Int) throws -> [RecordHistory] {
        let stored = try records.allVersions(of: name, in: forms)
        let comments = try records.allVersions(of: name, in: forms, comments: .alone)
        var past = RecordPast(stored)
        var opened = Opened()
        var all = try refusedOperations(on: name, &opened)
        for list in [stored, comments] {
            all += try list.ordered(0..<list.versions.count, limit: limit).map { position in
                (try records.versions.version(position, in: list), nil)
            }
        }
        let ordered = all.sorted { $1.stored.version.beats($0.stored.version) }
        return try ordered.suffix(limit).map { version, refusal in
            let position = refusal == nil ? past.place(of: version.version.name) : nil
            let before = try past.before(version, in: records.versions)
            let after = before.applying(version)
            if let position { past.note(after, of: position) }
            let asked = try refusal == nil ? verified(version, of: name, &opened) : nil
            let decides = version.kind == .delete || version.kind == .restore
            return RecordHistory(
                version: version.version.name, isPending: version.isPending, kind: version.kind,
                author: version.version.author,
                at: Int64(version.wall.milliseconds),
                changes: version.content.values.compactMap {
                    let old = before.value(of: $0.field)
                    return old == $0.value
                        ? nil
                        : RecordHistory.Change(field: $0.field, before: old, after: $0.value)
                },
                kept: version.kind == .edit ? kept(version, before) : [],
                deletion: decides ? (before.isDeleted, after.isDeleted) : nil,
                review: version.kind == .review ? (before.state, after.state) : nil,
                note: version.content.note,
                parents: version.version.parents.filter { past.place(of: $0) != nil },
                parallel: position.map { past.parallel(to: $0, limit: RecordHistory.maxParallel) }
                    ?? [],
                isHead: position.map { past.isHead($0) } ?? false,
                isVerified: asked != nil, asked: asked, refusal: refusal)
        }
    }

    /// The values that an edit wrote as they were.
    private func kept(
        _ edit: StoredVersion, _ before: RecordPast.Sight
    ) -> [RecordEntry] {
        edit.content.values.compactMap { entry in
            before.value(of: entry.field) == entry.value
                ? RecordEntry(field: entry.field, value: entry.value) : nil
        }
    }

    // MARK: From the batches

    /// A sealed batch as it is stored, if its signature and its place in the room hold.
    private func open(
        _ row: Int64, _ opened: inout Opened
    ) throws -> (batch: Batch, body: Body)? {
        if let known = opened[row] { return known }
        let stored = try database.row(
            "SELECT id, bytes FROM _batch WHERE batch = ?1 AND state = 0", .integer(row))
        var found: (batch: Batch, body: Body)?
        if case .blob(let id)? = stored?[0], case .blob(let bytes)? = stored?[1],
            let batch = try? Batch(verifying: bytes), batch.id.bytes == id, batch.room == self.id,
            let body = try? batch.openBody()
        {
            found = (batch, body)
        }
        opened.keep(found, of: row)
        return found
    }

    /// The definition of its form, if its batch says just this and its author may do so.
    private func verified(
        _ stored: StoredVersion, of name: RecordName, _ opened: inout Opened
    ) throws -> FormDefinition? {
        guard !stored.isPending, let (batch, body) = try open(stored.local.batch, &opened),
            let signed = SignedOperation(
                body, at: stored.local.index, forms: forms.catalog),
            signed.record == name, signed.kind == stored.kind,
            signed.clock == stored.version.clock, signed.wall == stored.wall,
            batch.author == stored.version.author,
            Set(signed.parents.ofSealed) == Set(stored.version.parents),
            signed.content.encoded == stored.content.encoded
        else { return nil }
        let held = HeldBatch(
            batch: stored.local.batch, id: batch.id, number: batch.number, author: batch.author,
            authorNumber: try devices.number(of: batch.author), isOpen: false)
        guard case .member(let role, let scopes) = try policy.standing(of: held, in: log) else {
            return nil
        }
        let isAllowed =
            RecordPermission.allows(role, stored.kind, own: name.creator == batch.author)
            && scopes.allSatisfy { scope in
                scope.fault(in: stored.kind, of: name.form) { field in
                    signed.content.values.first {
                        $0.field.type == .text && $0.field.name.utf8.elementsEqual(field.utf8)
                    }?.value
                } == nil
            }
        return isAllowed ? signed.definition : nil
    }

    /// Refused operations that a history shows, the latest: a hostile device can make any number.
    private static let refusedInHistory = 256

    /// Operations on a record that the room's rules do not allow, with the reason.
    private func refusedOperations(
        on name: RecordName, _ opened: inout Opened
    ) throws -> [(stored: StoredVersion, refusal: Refusal?)] {
        var found: [(stored: StoredVersion, refusal: Refusal?)] = []
        for row in try database.rows(
            """
            SELECT o.operation, r.reason FROM _refused_record o JOIN _refused r
            ON r.operation = (SELECT max(operation) FROM _refused WHERE operation <= o.operation)
            WHERE o.id = ?1 ORDER BY o.operation DESC LIMIT ?2
            """, .blob(name.id.bytes), .integer(Int64(Room.refusedInHistory)))
        {
            guard case .integer(let operation) = row[0], case .text(let word) = row[1],
                let refusal = Refusal(rawValue: word)
            else { continue }
            let local = LocalName(rawValue: operation)
            let source: (batch: BatchID, author: DeviceKey, body: Body)
            let isPending = try isPending(local)
            if isPending {
                source = (
                    .open(local.batch), identity.key, Body(try pending.blocks(of: local.batch))
                )
            } else if let (batch, body) = try open(local.batch, &opened) {
                source = (batch.id, batch.author, body)
            } else {
                continue
            }
            guard
                let said = SignedOperation(source.body, at: local.index, forms: forms.catalog),
                said.record == name
            else { continue }
            found.append(
                (
                    StoredVersion(
                        local: local,
                        version: RecordVersion(
                            name: OperationName(batch: source.batch, index: local.index),
                            author: source.author, clock: said.clock, parents: said.parents,
                            writes: []),
                        kind: said.kind, wall: said.wall, isPending: isPending,
                        content: said.content), refusal
                ))
        }
        return found
    }

    /// Whether an operation was made here and is not sealed.
    private func isPending(_ local: LocalName) throws -> Bool {
        try database.row(
            "SELECT 1 FROM _batch WHERE batch = ?1 AND state = 1", .integer(local.batch)) != nil
    }
}
