import ShareCore
import ShareCrypto

/// Taking in batches, from peers or from this device.
extension RoomWriter {
    /// Stores and judges a group of batches in one transaction, which is on the disk on return.
    /// What else a change of authority leaves to do is for `settle`.
    func merge(_ incoming: [IncomingBatch]) throws -> MergeReport {
        try change {
            let wasSettled = state.settling.isEmpty
            let (merged, news) = try telling {
                let merged = try mergeGroup(incoming)
                try mergeBehind()
                // What is little is done at once; what is under way goes its own pace.
                if wasSettled { try settleSome() }
                return merged
            }
            let (fates, changedControl, sealedBefore) = merged
            let outcomes = try zip(incoming, fates).map { item, fate in
                let isHeld = fate == .stored || fate == .known
                let counts = isHeld ? try counts(of: item.batch.id) : VerdictCounts()
                return MergeOutcome(
                    log: item.batch.log, head: item.batch.head,
                    fate: fate, size: item.batch.bytes.count, accepted: counts.accepted,
                    waiting: counts.waiting, refused: counts.refused)
            }
            return MergeReport(
                outcomes: outcomes, changedControl: changedControl, sealedBefore: sealedBefore,
                news: news)
        }
    }

    /// Takes batches in, inside a transaction.
    func mergeGroup(
        _ incoming: [IncomingBatch]
    ) throws -> (fates: [MergeOutcome.Fate], changedControl: Bool, sealedBefore: Int) {
        var fates = [MergeOutcome.Fate](repeating: .stored, count: incoming.count)
        // Control first: it decides whose records are taken at all.
        let changedControl = try mergeControl(incoming, &fates)
        var arrived: [DeviceKey: [BatchID]] = [:]
        var forked: Set<DeviceKey> = []
        var sealedBefore = 0
        for (place, item) in incoming.enumerated() where item.batch.kind == .records {
            let author = item.batch.author
            fates[place] = try admit(item)
            guard fates[place] == .stored else { continue }
            let hadTooMany = hasTooManyHeads(item.batch.log)
            let held = try store(item)
            if !hadTooMany, hasTooManyHeads(item.batch.log) { forked.insert(author) }
            if author == identity.key {
                sealedBefore += try dropPending(sealedIn: held, item.body)
            }
            try apply(held, item.body, sums: item.sums)
            state.gathering?.stored.append((held, item.body))
            arrived[author, default: []].append(item.batch.id)
        }
        try judgeAgain(arrived, forked: forked)
        return (fates, changedControl, sealedBefore)
    }

    func hasTooManyHeads(_ log: LogName) -> Bool {
        (state.logs[log]?.heads.count ?? 0) > Limits.headsPerLog
    }

    private func mergeControl(
        _ incoming: [IncomingBatch], _ fates: inout [MergeOutcome.Fate]
    ) throws -> Bool {
        var candidates: [(place: Int, record: ControlRecord)] = []
        var taken: [BatchID: Batch] = [:]
        for (place, item) in incoming.enumerated() where item.batch.kind == .control {
            guard item.batch.room == room else {
                fates[place] = .dropped
                continue
            }
            guard try row(of: item.batch.id) == nil, taken[item.batch.id] == nil else {
                fates[place] = .known
                continue
            }
            // Decisions past the cutoff are void for good, so a removed member fills no disk with them.
            if item.batch.author != identity.key,
                try isPastCutoff(item.batch.head, of: item.batch.log)
            {
                fates[place] = .pastCutoff
                continue
            }
            let isNext = taken[item.batch.previous]?.isRightBefore(item.batch) ?? false
            if try isNext || holdsPrevious(of: item.batch) {
                taken[item.batch.id] = item.batch
                candidates.append((place, ControlRecord(batch: 0, item.batch, item.body)))
            } else {
                fates[place] = .gap
            }
        }
        guard !candidates.isEmpty else { return false }
        // Batches of authors without a grant change nothing, so they may be among those judged.
        let trial = state.judgement.adding(candidates.map(\.record))
        var stored: [ControlRecord] = []
        for (place, candidate) in candidates {
            var record = candidate
            let item = incoming[place]
            if trial.isKnown(record.author) || record.author == identity.key {
                let held = try store(item)
                state.gathering?.stored.append((held, item.body))
                record.batch = held.batch
                stored.append(record)
            } else {
                try keepApart(item.batch)
                fates[place] = .apart
            }
        }
        guard !stored.isEmpty else { return false }
        try judge(
            adding: stored,
            as: stored.count == candidates.count
                ? trial : state.judgement.adding(stored))
        return true
    }

    /// Whether a batch of records may be stored now.
    private func admit(_ item: IncomingBatch) throws -> MergeOutcome.Fate {
        let batch = item.batch
        guard batch.room == room else { return .dropped }
        guard try row(of: batch.id) == nil else { return .known }
        guard state.judgement.isKnown(batch.author) || batch.author == identity.key else {
            try keepApart(batch)
            return .apart
        }
        if !item.isWantedPastCutoff, try isPastCutoff(batch.head, of: batch.log) {
            return .pastCutoff
        }
        guard try holdsPrevious(of: batch) else { return .gap }
        return .stored
    }

    // MARK: Logs

    /// The row of a batch that is held and counts.
    func row(of id: BatchID) throws -> Int64? {
        try database.integer("SELECT batch FROM _batch WHERE id = ?1", .blob(id.bytes))
    }

    func holdsPrevious(of batch: Batch) throws -> Bool {
        // A first batch names the room, which its envelope has been checked for.
        if batch.number == 1 { return true }
        guard let author = try devices.find(batch.author) else { return false }
        return try database.integer(
            "SELECT 1 FROM _batch WHERE id = ?1 AND author = ?2 AND kind = ?3 AND number = ?4",
            .blob(batch.previous.bytes), .integer(author), .integer(Int64(batch.kind.rawValue)),
            .integer(Int64(batch.number) - 1)) != nil
    }

    private func store(_ item: IncomingBatch) throws -> HeldBatch {
        let batch = item.batch
        let author = try devices.number(of: batch.author)
        try database.run(
            """
            INSERT INTO _batch(id, author, kind, number, previous, clock, operations, state, bytes)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)
            """, .blob(batch.id.bytes), .integer(author), .integer(Int64(batch.kind.rawValue)),
            .integer(Int64(batch.number)), .blob(batch.previous.bytes),
            .integer(Int64(batch.clock.rawValue)),
            .integer(Int64(item.body?.operationCount ?? 0)), .blob(batch.bytes))
        let row = database.lastRowID
        try moveHead(
            batch.head, from: batch.previous, of: author, batch.log,
            operations: item.body?.operationCount ?? 0)
        return HeldBatch(
            batch: row, id: batch.id, number: batch.number, author: batch.author,
            authorNumber: author, isOpen: false)
    }

    func moveHead(
        _ head: LogHead, from previous: BatchID, of author: Int64, _ log: LogName,
        operations: Int
    ) throws {
        let kind = log.kind
        if forked?.log == log { forked?.graph.insert(head, previous: previous) }
        state.logs[log, default: LogState(heads: [], operations: 0)].heads.removeAll {
            $0.batch == previous && $0.number + 1 == head.number
        }
        state.logs[log]?.heads.append(head)
        state.logs[log]?.heads.sort()
        state.logs[log]?.operations += UInt64(operations)
        try database.run(
            "DELETE FROM _head WHERE id = ?1 AND author = ?2 AND kind = ?3 AND number = ?4",
            .blob(previous.bytes), .integer(author), .integer(Int64(kind.rawValue)),
            .integer(Int64(head.number) - 1))
        try database.run(
            "INSERT INTO _head(id, author, kind, number) VALUES(?1, ?2, ?3, ?4)",
            .blob(head.batch.bytes), .integer(author), .integer(Int64(kind.rawValue)),
            .integer(Int64(head.number)))
        try database.run(
            """
            INSERT INTO _log(author, kind, operations) VALUES(?1, ?2, ?3)
            ON CONFLICT(author, kind) DO UPDATE SET operations = operations + ?3
            """, .integer(author), .integer(Int64(kind.rawValue)), .integer(Int64(operations)))
    }

    /// What a batch that is held came to.
    func counts(of id: BatchID) throws -> VerdictCounts {
        let names = RoomWriter.namesInBatch
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
}

extension Batch {
    /// Whether another batch, which names it as its predecessor, may follow it.
    fileprivate func isRightBefore(_ next: Batch) -> Bool {
        log == next.log && number + 1 == next.number
    }
}
