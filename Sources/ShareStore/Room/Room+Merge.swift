import ShareCore
import ShareCrypto

/// A batch's way in: stored in the log, judged, applied.
extension Room {

    /// Takes batches in, inside a transaction.
    mutating func merge(
        _ incoming: [IncomingBatch]
    ) throws -> (fates: [MergeOutcome.Fate], changedControl: Bool, sealedBefore: Int) {
        var fates = [MergeOutcome.Fate](repeating: .stored, count: incoming.count)
        // Control first: it decides whose records are taken at all.
        let changedControl = try mergeControl(incoming, &fates)
        var arrived: [DeviceKey: [BatchID]] = [:]
        var forked: Set<DeviceKey> = []
        var sealedBefore = 0
        for (position, item) in incoming.enumerated() where item.batch.kind == .records {
            let author = item.batch.author
            fates[position] = try admit(item)
            guard fates[position] == .stored else { continue }
            let hadTooMany = log.hasTooManyHeads(item.batch.log)
            let held = try log.store(item)
            if !hadTooMany, log.hasTooManyHeads(item.batch.log) { forked.insert(author) }
            if author == identity.key {
                sealedBefore += try PendingRewrite.run(&self, sealedIn: held, item.body)
            }
            try apply(held, item.body, sums: item.sums)
            stored?.append((held, item.body))
            arrived[author, default: []].append(item.batch.id)
        }
        try judgeAgain(arrived, forked: forked)
        return (fates, changedControl, sealedBefore)
    }

    private mutating func mergeControl(
        _ incoming: [IncomingBatch], _ fates: inout [MergeOutcome.Fate]
    ) throws -> Bool {
        var candidates: [(index: Int, record: ControlRecord)] = []
        var taken: [BatchID: Batch] = [:]
        for (position, item) in incoming.enumerated() where item.batch.kind == .control {
            guard item.batch.room == id else {
                fates[position] = .dropped
                continue
            }
            guard try log.row(of: item.batch.id) == nil, taken[item.batch.id] == nil else {
                fates[position] = .known
                continue
            }
            // Decisions past the cutoff count for nothing for good, so a removed member fills no disk with them.
            if item.batch.author != identity.key,
                try policy.isPastCutoff(item.batch.head, of: item.batch.log, in: log)
            {
                fates[position] = .pastCutoff
                continue
            }
            let isNext = taken[item.batch.previous]?.isRightBefore(item.batch) ?? false
            if try isNext || log.holdsPrevious(of: item.batch) {
                taken[item.batch.id] = item.batch
                candidates.append((position, ControlRecord(batch: 0, item.batch, item.body)))
            } else {
                fates[position] = .gap
            }
        }
        guard !candidates.isEmpty else { return false }
        // Batches of authors without a grant change nothing, so they may be among those judged.
        let trial = try policy.judgement(adding: candidates.map(\.record), log)
        var stored: [ControlRecord] = []
        for (position, candidate) in candidates {
            var record = candidate
            let item = incoming[position]
            if trial.isKnown(record.author) || record.author == identity.key {
                let held = try log.store(item)
                self.stored?.append((held, item.body))
                record.batch = held.batch
                stored.append(record)
            } else {
                try log.quarantine.add(item.batch)
                fates[position] = .apart
            }
        }
        guard !stored.isEmpty else { return false }
        try judge(
            adding: stored,
            as: stored.count == candidates.count
                ? trial : policy.judgement(adding: stored, log))
        return true
    }

    /// Whether a batch of records may be stored now.
    private func admit(_ item: IncomingBatch) throws -> MergeOutcome.Fate {
        let batch = item.batch
        guard batch.room == id else { return .dropped }
        guard try log.row(of: batch.id) == nil else { return .known }
        guard policy.judgement.isKnown(batch.author) || batch.author == identity.key else {
            try log.quarantine.add(batch)
            return .apart
        }
        if !item.isWantedPastCutoff, try policy.isPastCutoff(batch.head, of: batch.log, in: log) {
            return .pastCutoff
        }
        guard try log.holdsPrevious(of: batch) else { return .gap }
        return .stored
    }

    /// Judges again what an author's new batches may have put into another light: a head that a
    /// removal names has arrived, or the log has forked.
    private mutating func judgeAgain(_ arrived: [DeviceKey: [BatchID]], forked: Set<DeviceKey>)
        throws
    {
        for (author, batches) in arrived {
            let isNamed = batches.contains { policy.judgement.namedHeads.contains($0) }
            if isNamed || forked.contains(author) { try reindex.begin(author, log, policy) }
        }
    }

    /// Takes in batches that came after a damaged one, where that has come back.
    mutating func mergeOrphans() throws {
        guard try !log.orphans.isEmpty() else { return }
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            for row in try log.orphans.rows() {
                guard let bytes = try log.orphans.bytes(at: row) else { continue }
                guard let batch = try readOrphan(bytes) else {
                    // Somebody may have it whole.
                    try log.orphans.remove(row)
                    continue
                }
                let isHeld = try log.row(of: batch.id) != nil
                guard try isHeld || log.holdsPrevious(of: batch) else { continue }
                try log.orphans.remove(row)
                if !isHeld { _ = try merge([IncomingBatch(batch)]) }
                hasMoved = true
            }
        }
    }

    /// Nil where the bytes have been damaged since.
    private func readOrphan(_ bytes: [UInt8]) throws -> Batch? {
        do {
            return try log.readBatch(bytes, at: 0)
        } catch StoreError.damaged {
            return nil
        }
    }
}

extension Batch {
    /// Whether another batch, which names it as its predecessor, may follow it.
    fileprivate func isRightBefore(_ next: Batch) -> Bool {
        log == next.log && number + 1 == next.number
    }
}
