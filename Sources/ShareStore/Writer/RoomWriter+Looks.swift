import ShareCore
import ShareCrypto

/// What people ask of a room, as far as the writer's own tables answer it.
extension RoomWriter {
    func counts() throws -> RoomCounts {
        var counts = RoomCounts()
        counts.records = inForce.reduce(0) { $0 + (state.shown[$1.number] ?? 0) }
        func count(_ sql: String) throws -> Int { Int(try database.integer(sql) ?? 0) }
        counts.pending = try count("SELECT sum(count) FROM _pending")
        counts.waiting =
            try count("SELECT sum(count) FROM _waiting")
            + count(
                """
                SELECT count(*) FROM _record r JOIN _version v ON v.record = r.record
                WHERE NOT r.created
                """)
        counts.refused = try count("SELECT sum(count) FROM _refused")
        counts.conflicts = try count(
            "SELECT count(*) FROM (SELECT DISTINCT record, field, type FROM _conflict)")
        counts.apart = try count("SELECT count(*) FROM _apart")
        counts.digest = state.digest
        counts.settling = progress
        return counts
    }

    /// The forms that there are: not those that are on their way out.
    private var inForce: [FormTable] {
        state.catalog.forms.values.filter(\.inForce.isAccepted)
    }

    /// All forms, by id.
    func forms() -> [FormInfo] { inForce.map { info($0) }.sorted { $0.formID < $1.formID } }

    func form(_ formID: String) -> FormInfo? {
        guard let form = state.catalog.forms[formID], form.inForce.isAccepted else { return nil }
        return info(form)
    }

    private func info(_ form: FormTable) -> FormInfo {
        let current = form.inForce.form.fields
        let isCurrent = Set(current)
        let rest = form.columns.map(\.field).filter { !isCurrent.contains($0) }
        return FormInfo(
            definition: form.inForce.name, form: form.inForce.form,
            records: state.shown[form.number] ?? 0, table: form.table,
            columns: (current + rest).compactMap { field in
                form.names[field].map { FormInfo.Column(field: field, name: $0) }
            })
    }

    /// The versions of a record, oldest first, with what each changed in what its author had
    /// before it.
    func history(of name: RecordName) throws -> [RecordHistory] {
        let versions = try allVersions(of: name)
        let byName = Dictionary(
            versions.map { ($0.version.name, $0) }, uniquingKeysWith: { first, _ in first })
        return versions.sorted { $1.version.beats($0.version) }.map { version in
            var seen: Set<OperationName> = []
            var left = version.version.bases
            while let base = left.popLast() {
                guard let stored = byName[base], seen.insert(base).inserted else { continue }
                left += stored.version.bases
            }
            let before = RecordOutcome(seen.compactMap { byName[$0] })
            return RecordHistory(
                version: version.isPending ? nil : version.version.name, kind: version.kind,
                author: version.version.author, at: Int64(version.version.clock.milliseconds),
                changes: version.content.values.compactMap {
                    let old = before.values[$0.field]?.value ?? .absent
                    return old == $0.value
                        ? nil
                        : RecordHistory.Change(field: $0.field.name, before: old, after: $0.value)
                }, state: version.content.state, note: version.content.note)
        }
    }

    /// A record's versions, also where it is only a row.
    private func allVersions(of name: RecordName) throws -> [StoredVersion] {
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

    /// Fields that were written in parallel, with the winner and the others.
    func conflicts(limit: Int) throws -> [RecordConflict] {
        var conflicts: [RecordConflict] = []
        for row in try database.rows(
            """
            SELECT DISTINCT c.record, c.field, c.type, r.form, r.creator, r.id
            FROM _conflict c JOIN _record r ON r.record = c.record
            ORDER BY c.record, c.field, c.type LIMIT ?1
            """, .integer(Int64(limit)))
        {
            guard case .integer(let record) = row[0], case .text(let field) = row[1],
                case .integer(let type) = row[2], case .integer(let form) = row[3],
                case .integer(let creator) = row[4], case .blob(let bytes) = row[5],
                let id = RecordID(bytes), let form = state.catalog.byNumber[form]
            else { continue }
            let versions = Dictionary(
                try versions(of: record).map { ($0.local.rawValue, $0) },
                uniquingKeysWith: { first, _ in first })
            func side(_ local: Int64) -> RecordConflict.Side? {
                guard let version = versions[local] else { return nil }
                return RecordConflict.Side(
                    value: version.said(of: field, type), author: version.version.author,
                    at: Int64(version.version.clock.milliseconds))
            }
            var winner: RecordConflict.Side?
            var losers: [RecordConflict.Side] = []
            for pair in try database.rows(
                "SELECT winner, loser FROM _conflict WHERE record = ?1 AND field = ?2 AND type = ?3",
                .integer(record), .text(field), .integer(type))
            {
                guard case .integer(let won) = pair[0], case .integer(let lost) = pair[1] else {
                    continue
                }
                winner = side(won)
                if let loser = side(lost) { losers.append(loser) }
            }
            guard let winner else { continue }
            conflicts.append(
                RecordConflict(
                    record: RecordName(
                        form: form.formID, creator: try devices.key(of: creator), id: id),
                    field: field, winner: winner, losers: losers))
        }
        return conflicts
    }

    /// Operations that have no effect, in the order of their batches in the file, from behind a
    /// place in that list.
    func refused(after place: Int64, limit: Int) throws -> [RefusedOperation] {
        try database.rows(
            """
            SELECT b.author, r.what, r.reason, r.count, r.operation, b.kind, b.number, b.id
            FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE r.operation > ?1 ORDER BY r.operation LIMIT ?2
            """, .integer(place), .integer(Int64(limit))
        ).compactMap { row in
            guard case .integer(let author) = row[0], case .text(let what) = row[1],
                case .text(let reason) = row[2], case .integer(let count) = row[3],
                case .integer(let place) = row[4], case .integer(let raw) = row[5],
                let kind = LogKind(rawValue: UInt8(truncatingIfNeeded: raw))
            else { return nil }
            var batch: LogHead?
            if case .integer(let number) = row[6], case .blob(let bytes) = row[7],
                let id = Digest(bytes)
            {
                batch = LogHead(number: UInt64(max(number, 0)), batch: BatchID(id))
            }
            return RefusedOperation(
                place: place, author: try devices.key(of: author), log: kind, batch: batch,
                what: what, reason: reason, count: Int(count))
        }
    }
}

extension StoredVersion {
    /// What the version says of a field by the name and type under which conflicts are noted.
    fileprivate func said(of field: String, _ type: Int64) -> FieldValue {
        if type == 255 {
            if kind == .delete { return .integer(1) }
            if kind == .restore { return .integer(0) }
            return .absent
        }
        if type == 254 { return content.state.map { .text($0) } ?? .absent }
        return content.values.first {
            $0.field.name == field && Int64($0.field.type.rawValue) == type
        }?.value ?? .absent
    }
}
