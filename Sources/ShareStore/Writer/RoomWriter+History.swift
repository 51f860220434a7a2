import ShareCore
import ShareCrypto

/// A record's past, read again from the batches that it is made of.
extension RoomWriter {
    /// Batches that have been read again, each once.
    private typealias Opened = [Int64: (batch: Batch, body: Body)?]

    /// The operations on a record, oldest first, with what each changed in what its author had
    /// before it; refused ones too.
    ///
    /// - Parameter limit: of more only the latest are given.
    /// - Throws: `StoreError.unknownRecord`.
    func history(of name: RecordName, limit: Int) throws -> [RecordHistory] {
        let versions = try allVersions(of: name)
        let outcome = RecordOutcome(versions)
        let heads = Set(outcome.heads)
        var past = RecordPast(outcome)
        var opened: Opened = [:]
        let refused = try refusedOperations(on: name, &opened)
        let all = versions.map { (stored: $0, refusal: nil as String?) } + refused
        let ordered = all.sorted { $1.stored.version.beats($0.stored.version) }
        return try ordered.suffix(limit).map { stored, refusal in
            let version = stored.version
            let before = past.before(stored)
            let after = before.applying(stored)
            let counts = refusal == nil && stored.kind != .comment
            let decides = stored.kind == .delete || stored.kind == .restore
            return RecordHistory(
                version: version.name, isPending: stored.isPending, kind: stored.kind,
                author: version.author, at: Int64(version.clock.milliseconds),
                changes: stored.content.values.compactMap {
                    let old = before.values[$0.field] ?? .absent
                    return old == $0.value
                        ? nil
                        : RecordHistory.Change(field: $0.field, before: old, after: $0.value)
                },
                kept: stored.kind == .edit ? kept(stored, before.values) : [],
                deletion: decides ? (before.isDeleted, after.isDeleted) : nil,
                review: stored.kind == .review ? (before.state, after.state) : nil,
                note: stored.content.note,
                bases: version.bases.filter { outcome.versions[$0] != nil },
                parallel: counts
                    ? outcome.graph.parallel(to: [version.name]).sorted()
                        .prefix(RecordHistory.maxParallel).map(\.self) : [],
                isHead: counts && heads.contains(version.name),
                isVerified: try refusal == nil && isVerified(stored, of: name, &opened),
                refusal: refusal)
        }
    }

    /// What an edit wrote as it was.
    private func kept(
        _ edit: StoredVersion, _ before: [FormField: FieldValue]
    ) -> [RecordEntry] {
        edit.content.values.compactMap { entry in
            (before[entry.field] ?? .absent) == entry.value
                ? RecordEntry(field: entry.field, value: entry.value) : nil
        }
    }

    /// A record's versions, also where it is only a row.
    func allVersions(of name: RecordName) throws -> [StoredVersion] {
        guard let form = state.catalog.forms[name.form],
            let creator = try devices.find(name.creator)
        else { throw StoreError.unknownRecord(name.id.text) }
        if let record = try sideRecord(name.id, creator, form) { return try versions(of: record) }
        guard let row = try plainRow(name, in: form) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        let content = VersionContent(values: row.values)
        let sealed = try sealedName(row.local)
        return [
            StoredVersion(
                local: row.local,
                version: RecordVersion(
                    name: sealed
                        ?? OperationName(batch: .open(row.local.batch), index: row.local.index),
                    author: name.creator, clock: row.clock, bases: [],
                    writes: content.writes(as: .put)),
                kind: .put, isPending: sealed == nil, content: content)
        ]
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
            let batch = try? Batch(verifying: bytes), batch.id.bytes == id, batch.room == room,
            let body = try? batch.openBody()
        {
            found = (batch, body)
        }
        opened[row] = .some(found)
        return found
    }

    private func isVerified(
        _ stored: StoredVersion, of name: RecordName, _ opened: inout Opened
    ) throws -> Bool {
        guard !stored.isPending, let (batch, body) = try open(stored.local.batch, &opened),
            let signed = SignedOperation(
                body, at: stored.local.index, forms: state.catalog),
            signed.record == name, signed.kind == stored.kind,
            signed.clock == stored.version.clock, batch.author == stored.version.author,
            Set(signed.bases.ofSealed) == Set(stored.version.bases),
            signed.content.encoded == stored.content.encoded
        else { return false }
        let held = HeldBatch(
            batch: stored.local.batch, id: batch.id, number: batch.number, author: batch.author,
            authorNumber: try devices.number(of: batch.author), isOpen: false)
        guard case .member(let role) = try standing(of: held) else { return false }
        return RecordPermission.allows(role, stored.kind, own: name.creator == batch.author)
    }

    /// Refused operations that a history shows, the latest: a hostile device can make any number.
    private static let refusedInHistory = 256

    /// Operations on a record that the room's rules do not allow, with the reason.
    private func refusedOperations(
        on name: RecordName, _ opened: inout Opened
    ) throws -> [(stored: StoredVersion, refusal: String?)] {
        var found: [(stored: StoredVersion, refusal: String?)] = []
        for row in try database.rows(
            """
            SELECT o.operation, r.reason FROM _refused_record o JOIN _refused r
            ON r.operation = (SELECT max(operation) FROM _refused WHERE operation <= o.operation)
            WHERE o.id = ?1 ORDER BY o.operation DESC LIMIT ?2
            """, .blob(name.id.bytes), .integer(Int64(RoomWriter.refusedInHistory)))
        {
            guard case .integer(let operation) = row[0], case .text(let reason) = row[1] else {
                continue
            }
            let local = LocalName(rawValue: operation)
            guard let (batch, body) = try open(local.batch, &opened),
                let signed = SignedOperation(body, at: local.index, forms: state.catalog),
                signed.record == name
            else { continue }
            found.append(
                (
                    StoredVersion(
                        local: local,
                        version: RecordVersion(
                            name: OperationName(batch: batch.id, index: local.index),
                            author: batch.author, clock: signed.clock, bases: signed.bases,
                            writes: []),
                        kind: signed.kind, isPending: false, content: signed.content), reason
                ))
        }
        return found
    }
}
