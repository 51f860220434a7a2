import ShareCore
import ShareCrypto

/// A room in figures.
extension Room {

    func counts() throws -> RoomCounts {
        var counts = RoomCounts()
        counts.records = forms.forms().reduce(0) { $1.form.isRepeat ? $0 : $0 + $1.records }
        func count(_ sql: String) throws -> Int { Int(try database.integer(sql) ?? 0) }
        counts.pending = try pending.count()
        if counts.pending > 0 {
            let tally = try pending.tally(forms.catalog.repeats, entry: entry)
            counts.pendingEntries = tally.entries
            counts.pendingParts = tally.parts
        }
        // What waits for its author is kept where it came before a grant fell, and nowhere else.
        counts.waiting =
            try count(
                "SELECT sum(count) FROM _waiting WHERE reason <> '\(Waiting.author.rawValue)'")
            + count(
                """
                SELECT count(*) FROM _record r JOIN _version v ON v.record = r.record
                WHERE NOT r.created
                """)
        counts.blocked = try review.blockedCount()
        // What is refused here and not sealed nobody else has refused: it can count yet.
        let kept = try review.refusedPending()
        counts.withheld = try kept + waitingWithheld()
        counts.aboveQuota =
            pending.isAboveQuota ? max(counts.pending - counts.withheld, 0) : 0
        counts.refused = try count("SELECT sum(count) FROM _refused") - kept
        counts.conflicts = try count(
            "SELECT count(*) FROM (SELECT DISTINCT record, field, type FROM _conflict)")
        counts.parallel = try count("SELECT count(*) FROM _parallel")
        counts.apart = try log.quarantine.count()
        counts.digest = digest
        counts.reapplying = reindex.progress
        return counts
    }

    /// How many pending operations wait for a form and are not allowed either, which is not judged
    /// before the form counts.
    ///
    /// - Complexity: O(operations in open batches in which some wait).
    private func waitingWithheld() throws -> Int {
        var waiting: [Int64: [Range<Int>]] = [:]
        for row in try database.rows(
            """
            SELECT w.operation, w.count FROM _waiting w JOIN _batch b ON b.batch = w.operation / 8192
            WHERE b.state = 1
            """)
        {
            guard case .integer(let operation) = row[0], case .integer(let count) = row[1] else {
                continue
            }
            let name = LocalName(rawValue: operation)
            waiting[name.batch, default: []].append(name.index..<name.index + max(Int(count), 0))
        }
        var sum = 0
        for (batch, ranges) in waiting {
            guard let held = try log.heldBatches("WHERE b.batch = ?1", .integer(batch)).first else {
                continue
            }
            let permit = try policy.standing(of: held, in: log).permit
            for block in try pending.blocks(of: batch) {
                let form = forms.catalog.definitions[block.form]?.form
                sum += block.rows.indices.count { row in
                    ranges.contains { $0.contains(block.firstIndex + row) }
                        && permit?.allows(block, row: row, by: identity.key, form) != true
                }
            }
        }
        return sum
    }

    /// The counts of verdicts on a batch that is held.
    func counts(of id: BatchID) throws -> VerdictCounts {
        let names = BatchLog.namesInBatch
        let row = try database.row(
            """
            SELECT b.operations,
            (SELECT coalesce(sum(count), 0) FROM _waiting WHERE operation \(names))
            + (SELECT count(*) FROM _version v JOIN _record r ON r.record = v.record
               WHERE v.version \(names) AND NOT r.created),
            (SELECT coalesce(sum(count), 0) FROM _refused WHERE operation \(names))
            FROM _batch b WHERE b.id = ?1
            """, .blob(id.bytes))
        guard case .integer(let operations)? = row?[0], case .integer(let waiting)? = row?[1],
            case .integer(let refused)? = row?[2]
        else { return VerdictCounts() }
        return VerdictCounts(
            accepted: max(Int(operations) - Int(waiting) - Int(refused), 0),
            waiting: Int(waiting), refused: Int(refused))
    }

    /// The most that the log of one member comes to, by each limit of a quota, where it was no owner.
    func usage() throws -> Quota {
        var most = Quota(operations: 0, operationsADay: 0, bytes: 0, bytesADay: 0)
        for device in policy.judgement.known {
            guard let author = try devices.find(device) else { continue }
            let ancestry = try log.ancestry(of: author, .records)
            try log.eachBatch(of: author, .records) { batch in
                let role = try ancestry.asked {
                    policy.authority.standing(of: device, kind: .records, at: batch.head, in: $0)
                        .role
                }
                guard let role, role < .owner else { return }
                let usage = try policy.meter.usage(upTo: batch.head.batch)
                most.operations = max(most.operations ?? 0, usage.operations)
                most.operationsADay = max(most.operationsADay ?? 0, usage.operationsOfDay)
                most.bytes = max(most.bytes ?? 0, usage.bytes)
                most.bytesADay = max(most.bytesADay ?? 0, usage.bytesOfDay)
            }
        }
        return most
    }

    /// How many operations of other devices use a definition; those that were made here and are not
    /// sent are among them.
    ///
    /// - Complexity: that of opening the batches that use it.
    func uses(of definition: OperationName, without author: DeviceKey) throws -> Int {
        let held = try log.heldBatches(
            "JOIN _uses u ON u.batch = b.batch WHERE u.definition = ?1 AND b.author <> ?2",
            .blob(definition.key), .integer(try log.devices.find(author) ?? 0))
        return try held.reduce(0) { sum, batch in
            guard let body = try body(of: batch) else { return sum }
            return body.blocks.reduce(sum) { sum, block in
                guard case .records(let block) = block, block.form == definition else {
                    return sum
                }
                return sum + block.rows.count
            }
        }
    }
}
