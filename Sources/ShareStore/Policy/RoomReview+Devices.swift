import ShareCore
import ShareCrypto

/// All that is held of one device, for those who decide about it.
extension RoomReview {
    /// The records of a device that are refused for where they stand in its log, as the room is or
    /// would be.
    ///
    /// - Parameter ends: the last batches that are looked at; nil for all that are held.
    func refusals(
        of device: DeviceKey, under other: Authority? = nil,
        upTo ends: [LogHead]? = nil
    ) throws -> DeviceRefusals {
        guard let author = try devices.find(device) else { return DeviceRefusals() }
        let authority = other ?? authority
        let ancestry = try log.ancestry(of: author, .records)
        let lowered = try refusedOperations(in: author, .records, for: .role)
        var refusals = DeviceRefusals()
        var rows: Set<Int64> = []
        // The last batch that is refused of each branch, by the branch's end.
        var last: [BatchID: LogHead] = [:]
        for batch in try log.batches(of: author, upTo: ends) {
            let head = batch.head
            last[head.batch] = last.removeValue(forKey: batch.previous)
            let standing = try ancestry.asked {
                authority.standing(of: device, kind: .records, at: head, in: $0)
            }
            if case .refused = standing {
                refusals.operations += batch.operations
            } else if let count = lowered[batch.row],
                try ancestry.asked({ authority.gainsByAcceptance(device, ofRecords: head, in: $0) })
            {
                refusals.operations += count
            } else {
                continue
            }
            rows.insert(batch.row)
            last[head.batch] = head
        }
        refusals.heads = Array(last.values.sorted().prefix(Limits.parentsPerOperation))
        refusals.definitions = try definitions(usedIn: rows, by: author)
        return refusals
    }

    /// How many operations of a log are refused, by batch.
    ///
    /// - Parameter refusal: for what; nil for whatever it is.
    func refusedOperations(
        in author: Int64, _ kind: LogKind, for refusal: Refusal? = nil
    ) throws -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        for row in try database.rows(
            """
            SELECT b.batch, sum(r.count) FROM _refused r JOIN _batch b ON b.batch = r.operation / 8192
            WHERE b.author = ?1 AND b.kind = ?2 AND b.state = 0 AND r.reason = coalesce(?3, r.reason)
            GROUP BY 1
            """, .integer(author), .integer(Int64(kind.rawValue)),
            refusal.map { .text($0.rawValue) } ?? .null
        ) {
            guard case .integer(let batch) = row[0], case .integer(let count) = row[1] else {
                continue
            }
            counts[batch] = Int(count)
        }
        return counts
    }

    private func definitions(
        usedIn rows: Set<Int64>, by author: Int64
    ) throws -> Set<OperationName> {
        guard !rows.isEmpty else { return [] }
        var used: Set<OperationName> = []
        for (row, definitions) in try definitionsUsed(by: author) where rows.contains(row) {
            used.formUnion(definitions)
        }
        return used
    }

    /// The definitions that a device's batches of records use, by the batches' rows.
    func definitionsUsed(by author: Int64) throws -> [Int64: Set<OperationName>] {
        var used: [Int64: Set<OperationName>] = [:]
        for row in try database.rows(
            """
            SELECT u.batch, u.definition FROM _uses u JOIN _batch b ON b.batch = u.batch
            WHERE b.author = ?1 AND b.kind = 1
            """, .integer(author))
        {
            guard case .integer(let batch) = row[0], case .blob(let key) = row[1],
                let definition = OperationName(key: key)
            else { continue }
            used[batch, default: []].insert(definition)
        }
        return used
    }

    /// How far a device's logs go up to the first batch that was sealed at `time` or later, by the
    /// device's own clock; without a time all of them. What is refused counted for nothing
    /// before, and is left out of the operations.
    ///
    /// - Complexity: O(batches of the device).
    func extent(
        of device: DeviceKey, before time: WallTime?
    ) throws -> DeviceExtent {
        var extent = DeviceExtent()
        guard let author = try devices.find(device) else { return extent }
        let control = try walk(author, .control, before: time)
        let records = try walk(author, .records, before: time)
        extent.heads = CoveredHeads(control: control.heads, records: records.heads)
        extent.operations = records.operations
        extent.pastHeads = records.pastHeads
        extent.last = records.last
        return extent
    }

    private struct Walk {
        var heads: [LogHead] = []
        var operations = 0
        var pastHeads = 0
        var last: WallTime?
    }

    private func walk(
        _ author: Int64, _ kind: LogKind, before time: WallTime?
    ) throws -> Walk {
        var walk = Walk()
        // The ends of all branches before that time, and what else lies there.
        var heads: [BatchID: LogHead] = [:]
        var included: [BatchID: LogRow] = [:]
        let branches = try branchesRefused(author, kind)
        try log.eachBatch(of: author, kind) { batch in
            let follows = batch.head.number == 1 || included[batch.previous] != nil
            guard follows, time.map({ batch.wall < $0 }) ?? true, try !branches(batch.head) else {
                walk.pastHeads += batch.operations
                return
            }
            included[batch.head.batch] = batch
            heads[batch.previous] = nil
            heads[batch.head.batch] = batch.head
        }
        walk.heads = Array(heads.values.sorted().suffix(Limits.parentsPerOperation))
        let refused = try refusedOperations(in: author, kind)
        func add(_ batch: LogRow) {
            walk.operations += batch.operations - (refused[batch.row] ?? 0)
            walk.last = max(walk.last ?? batch.wall, batch.wall)
        }
        guard heads.count > walk.heads.count else {
            included.values.forEach(add)
            return walk
        }
        // What no head that is named covers does not go on counting.
        for head in walk.heads {
            var next: BatchID? = head.batch
            while let batch = next.flatMap({ included.removeValue(forKey: $0) }) {
                add(batch)
                next = batch.previous
            }
        }
        walk.pastHeads += included.values.reduce(0) { $0 + $1.operations }
        return walk
    }

    /// Which batches of a log that has too many branches count for nothing. A removal, or another
    /// role, that named their heads could let them count, which nobody has said
    /// (docs/protocol/authority.md §2).
    private func branchesRefused(
        _ author: Int64, _ kind: LogKind
    ) throws -> (LogHead) throws -> Bool {
        let log = LogName(author: try devices.key(of: author), kind: kind)
        let authority = authority
        guard self.log.hasTooManyHeads(log), authority.cut(of: log) == nil else {
            return { _ in false }
        }
        let ancestry = try self.log.ancestry(of: author, kind)
        let founding = BatchID(policy.room.digest)
        return { head in
            guard head.batch != founding else { return false }
            return try ancestry.asked {
                authority.standing(of: log.author, kind: kind, at: head, in: $0).role
            } == nil
        }
    }

    /// The number of a log's last batch at which its author had a role; 0 where there is none.
    ///
    /// - Complexity: O(batches of the log).
    func lastCounting(
        of device: DeviceKey, _ kind: LogKind
    ) throws -> UInt64 {
        guard let author = try devices.find(device) else { return 0 }
        let authority = authority
        let ancestry = try log.ancestry(of: author, kind)
        var last: UInt64 = 0
        try log.eachBatch(of: author, kind) { batch in
            let head = batch.head
            let role = try ancestry.asked {
                authority.standing(of: device, kind: kind, at: head, in: $0).role
            }
            guard role != nil else { return }
            last = max(last, head.number)
        }
        return last
    }

    /// The logs in which their authors have written two batches with one number.
    func forks() throws -> [LogFork] {
        try log.forks().map { name, heads, numbers in
            LogFork(
                log: name, numbers: numbers, branches: heads.count,
                isRefused: try heads.count > Limits.headsPerLog
                    && isRefusedForBranches(name, heads))
        }
    }

    /// Whether a branch counts for nothing because the log has too many and nobody has named it.
    private func isRefusedForBranches(
        _ log: LogName, _ heads: [LogHead]
    ) throws -> Bool {
        let authority = authority
        guard authority.cut(of: log) == nil, let author = try devices.find(log.author) else {
            return false
        }
        let ancestry = try self.log.ancestry(of: author, log.kind)
        return try ancestry.asked { ancestry in
            heads.contains {
                authority.standing(of: log.author, kind: log.kind, at: $0, in: ancestry)
                    == .refused(.forked)
            }
        }
    }

}
