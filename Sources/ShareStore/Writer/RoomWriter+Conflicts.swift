import ShareCore
import ShareCrypto

/// Conflicts and parallel updates: noted for each record as it is worked out, so that looking for
/// them takes nothing of the records that have none.
extension RoomWriter {
    /// Notes what a record's versions have come to; nil for a record that is not there.
    func noteConflicts(
        of outcome: RecordOutcome?, _ record: Int64, at place: ConflictTrace.Place
    ) throws {
        if state.gathering != nil {
            let old = try notedConflicts(of: record)
            state.gathering?.trace.note(place, old: old, new: outcome?.conflictSides ?? [:])
        }
        try database.run("DELETE FROM _conflict WHERE record = ?1", .integer(record))
        for conflict in outcome?.conflicts ?? [] {
            let (name, type) = conflict.field.columns
            for loser in conflict.losers {
                try database.run(
                    """
                    INSERT OR REPLACE INTO _conflict(record, field, type, winner, loser)
                    VALUES(?1, ?2, ?3, ?4, ?5)
                    """, .integer(record), .text(name), .integer(type),
                    .integer(conflict.winner.local.rawValue), .integer(loser.local.rawValue))
            }
        }
        if let outcome, !outcome.parallel.isEmpty {
            try database.run(
                "INSERT OR IGNORE INTO _parallel(record) VALUES(?1)", .integer(record))
        } else {
            try database.run("DELETE FROM _parallel WHERE record = ?1", .integer(record))
        }
    }

    private func notedConflicts(of record: Int64) throws -> ConflictTrace.Sides {
        var sides: ConflictTrace.Sides = [:]
        for row in try database.rows(
            "SELECT field, type, winner, loser FROM _conflict WHERE record = ?1", .integer(record))
        {
            guard case .text(let name) = row[0], case .integer(let type) = row[1],
                case .integer(let winner) = row[2], case .integer(let loser) = row[3],
                let field = RecordField(name: name, type: type)
            else { continue }
            sides[field, default: []].formUnion([
                LocalName(rawValue: winner), LocalName(rawValue: loser),
            ])
        }
        return sides
    }

    // MARK: Lists

    /// Conflicts of the next records that have any, by record id, creator and form.
    func conflicts(after: RecordName?, limit: Int) throws -> RecordPage<RecordConflict> {
        try page(of: "(SELECT DISTINCT record FROM _conflict)", after: after, limit: limit) {
            name, outcome in outcome.conflicts.map { conflict($0, of: name) }
        }
    }

    /// Parallel updates, in the same order.
    func parallelUpdates(after: RecordName?, limit: Int) throws -> RecordPage<ParallelUpdate> {
        try page(of: "_parallel", after: after, limit: limit) { name, outcome in
            parallelUpdate(of: name, outcome).map { [$0] } ?? []
        }
    }

    private func page<Item>(
        of records: String, after: RecordName?, limit: Int,
        _ items: (RecordName, RecordOutcome) -> [Item]
    ) throws -> RecordPage<Item> {
        let rows = try database.rows(
            """
            SELECT r.record, f.form_id, d.key, r.id FROM \(records) s
            JOIN _record r ON r.record = s.record JOIN _device d ON d.device = r.creator
            JOIN _form f ON f.form = r.form
            WHERE (r.id, d.key, f.form_id) > (?1, ?2, ?3)
            ORDER BY r.id, d.key, f.form_id LIMIT ?4
            """, .blob(after?.id.bytes ?? []), .blob(after?.creator.bytes ?? []),
            .text(after?.form ?? ""), .integer(Int64(limit) + 1))
        var found: [Item] = []
        for row in rows.prefix(limit) {
            guard case .integer(let record) = row[0], case .text(let form) = row[1],
                case .blob(let key) = row[2], case .blob(let id) = row[3],
                let creator = DeviceKey(key), let id = RecordID(id)
            else { continue }
            found += items(
                RecordName(form: form, creator: creator, id: id),
                RecordOutcome(try versions(of: record)))
        }
        return RecordPage(items: found, hasMore: rows.count > limit)
    }

    private func conflict(
        _ conflict: RecordOutcome.Conflict, of name: RecordName
    ) -> RecordConflict {
        func side(_ version: StoredVersion) -> RecordConflict.Side {
            let isBeside = conflict.field == .deleted && version.said(of: .deleted) == .absent
            return RecordConflict.Side(
                version: version.isPending ? nil : version.version.name,
                value: version.said(of: conflict.field), author: version.version.author,
                at: Int64(version.version.clock.milliseconds),
                changes: isBeside
                    ? version.content.values.map {
                        RecordEntry(field: $0.field, value: $0.value)
                    } : [])
        }
        return RecordConflict(
            record: name, field: conflict.field, winner: side(conflict.winner),
            losers: conflict.losers.map(side))
    }

    private func parallelUpdate(
        of name: RecordName, _ outcome: RecordOutcome
    ) -> ParallelUpdate? {
        let branches = outcome.parallel.map { branch in
            ParallelUpdate.Branch(
                version: branch.head.isPending ? nil : branch.head.version.name,
                author: branch.head.version.author,
                at: Int64(branch.head.version.clock.milliseconds),
                changes: branch.outcome.values.map {
                    RecordEntry(field: $0.key, value: $0.value.value)
                }.sorted { $0.field < $1.field },
                isDeleted: branch.outcome.deletion.map { $0.kind == .delete },
                state: branch.outcome.review?.content.state)
        }
        return branches.isEmpty ? nil : ParallelUpdate(record: name, branches: branches)
    }

    // MARK: One record

    /// What there is to say of a record beside its values.
    ///
    /// - Throws: `StoreError.unknownRecord`.
    func detail(of name: RecordName) throws -> RecordDetail {
        let versions = try allVersions(of: name)
        let outcome = RecordOutcome(versions)
        guard outcome.isCreated, let form = form(name.form) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        func remark(_ version: StoredVersion) -> RecordDetail.Remark {
            RecordDetail.Remark(
                author: version.version.author, at: Int64(version.version.clock.milliseconds),
                state: version.content.state, text: version.content.note)
        }
        return RecordDetail(
            name: name, form: form, isDeleted: outcome.isDeleted,
            values: form.columns.map { outcome.values[$0.field]?.value ?? .absent },
            review: outcome.review.map(remark),
            comments: versions.filter { $0.kind == .comment }
                .sorted { $1.version.beats($0.version) }.map(remark),
            conflicts: outcome.conflicts.map { conflict($0, of: name) },
            parallel: parallelUpdate(of: name, outcome))
    }
}

extension RecordOutcome {
    /// The versions that stand against each other, by field.
    fileprivate var conflictSides: ConflictTrace.Sides {
        Dictionary(
            uniqueKeysWithValues: conflicts.map {
                ($0.field, Set($0.losers.map(\.local) + [$0.winner.local]))
            })
    }
}
