import ShareCore

/// What a transaction brings about, for those who watch.
extension Room {
    /// Runs `body` and gathers what it has to tell; all records are worked out at the end.
    mutating func gathering<R>(_ body: (inout Room) throws -> R) throws -> (R, RoomChanges) {
        let before = forms.definitionsInForce
        stored = []
        records.conflicts.trace = ConflictTrace()
        let result = try body(&self)
        try recompute()
        let (batches, conflicts) = (stored ?? [], records.conflicts.trace?.arisen ?? [])
        stored = nil
        records.conflicts.trace = nil
        var changes = RoomChanges()
        let now = forms.definitionsInForce
        changes.changedForms = Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for batch in batches { try addChanges(of: batch.held, batch.body, to: &changes) }
        try addConflicts(conflicts, to: &changes)
        return (result, changes)
    }

    private func addConflicts(
        _ found: [(place: ConflictTrace.RecordKey, fields: [RecordField])],
        to changes: inout RoomChanges
    ) throws {
        var arisen: [ArisenConflict] = []
        for (position, fields) in found {
            guard let form = forms.catalog.byNumber[position.form] else { continue }
            arisen.append(
                ArisenConflict(
                    record: RecordName(
                        form: form.formID, creator: try devices.key(of: position.creator),
                        id: position.id), fields: fields))
        }
        arisen.sort { $0.record < $1.record }
        changes.conflicts = Array(arisen.prefix(RoomChanges.namedRecords))
        changes.moreConflicts = arisen.count - changes.conflicts.count
    }

    /// Adds what a batch did that has been stored and judged.
    private func addChanges(of held: HeldBatch, _ body: Body?, to changes: inout RoomChanges) throws
    {
        try addRefused(of: held, to: &changes)
        let idle = try operationsWithoutEffect(of: held)
        for case .records(let block) in body?.blocks ?? [] {
            guard let form = forms.catalog.definitions[block.form]?.form else { continue }
            let rows = block.rows.indices.filter { !idle[block.firstIndex + $0] }
            if block.kind == .put {
                guard let first = rows.first else { continue }
                let name = RecordName(
                    form: form.formID, creator: held.author, id: block.rows[first].id)
                changes.count(
                    RecordEffect(
                        .put, form: form.formID, author: held.author, count: rows.count,
                        record: rows.count == 1 ? name : nil))
                continue
            }
            let fields = block.fields.compactMap {
                form.fields.indices.contains($0) ? form.fields[$0].name : nil
            }
            // It says that rows were changed, which are told themselves.
            if block.kind == .edit, fields.isEmpty { continue }
            for position in rows {
                let row = block.rows[position]
                let name = RecordName(
                    form: form.formID, creator: block.creators[Int(row.creator)], id: row.id)
                changes.tell(
                    RecordEffect(
                        block.kind, form: form.formID, author: held.author, record: name,
                        fields: fields,
                        state: block.kind == .review
                            ? VersionContent(block, row: position, definition: form).state : nil))
            }
        }
    }

    private func addRefused(of held: HeldBatch, to changes: inout RoomChanges) throws {
        let range = LocalName.range(of: held.batch)
        for row in try database.rows(
            """
            SELECT what, reason, sum(count) FROM _refused
            WHERE operation BETWEEN ?1 AND ?2 GROUP BY what, reason ORDER BY 1, 2 LIMIT ?3
            """, .integer(range.first), .integer(range.last),
            .integer(Int64(RoomChanges.namedRecords)))
        {
            guard case .text(let what) = row[0], case .text(let word) = row[1],
                let refusal = Refusal(rawValue: word),
                case .integer(let count) = row[2]
            else { continue }
            changes.refused.append(
                MergeRefusal(
                    author: held.author, what: what, refusal: refusal, count: Int(count)))
        }
    }

    /// For each place in a batch whether its operation is refused or waiting.
    private func operationsWithoutEffect(of held: HeldBatch) throws -> [Bool] {
        let range = LocalName.range(of: held.batch)
        var idle = [Bool](repeating: false, count: Int(LocalName.namesPerBatch))
        for row in try database.rows(
            """
            SELECT operation, count FROM _refused WHERE operation BETWEEN ?1 AND ?2
            UNION ALL SELECT operation, count FROM _waiting WHERE operation BETWEEN ?1 AND ?2
            UNION ALL SELECT v.version, 1 FROM _version v JOIN _record r ON r.record = v.record
            WHERE v.version BETWEEN ?1 AND ?2 AND NOT r.created
            """, .integer(range.first), .integer(range.last)
        ) {
            guard case .integer(let operation) = row[0], case .integer(let count) = row[1] else {
                continue
            }
            let first = LocalName(rawValue: operation).index
            let length = min(max(Int(count), 1), idle.count - first)
            idle.replaceSubrange(first..<first + length, with: repeatElement(true, count: length))
        }
        return idle
    }

}

extension RoomChanges {
    /// Adds changes, counted for each kind, form and author.
    fileprivate mutating func count(_ new: RecordEffect) {
        let known = records.firstIndex {
            $0.kind == new.kind && $0.form == new.form && $0.author == new.author
                && (new.kind == .put || $0.record == nil)
        }
        guard let known else { return records.append(new) }
        records[known].count += new.count
        records[known].record = nil
    }

    /// Adds a change of one record, which is only counted when there are many.
    fileprivate mutating func tell(_ new: RecordEffect) {
        guard records.count >= RoomChanges.namedRecords else { return records.append(new) }
        count(RecordEffect(new.kind, form: new.form, author: new.author))
    }
}
