import ShareCore
import ShareCrypto

/// The changes to a room, each in one transaction that is on the disk on return.
extension RoomFile {
    /// Stores and judges a group of batches. What else a change of authority leaves to do is for
    /// `reapply`.
    func merge(_ incoming: [IncomingBatch]) throws -> MergeReport {
        let report = try change { room in
            let wasDone = room.reindex.jobs.isEmpty
            let (merged, changes) = try room.gathering { room in
                let merged = try room.merge(incoming)
                try room.mergeOrphans()
                // What is little is done at once; what is under way goes its own pace.
                if wasDone { try Reindex.step(&room) }
                return merged
            }
            let (fates, changedControl, sealedBefore) = merged
            let outcomes = try zip(incoming, fates).map { item, fate in
                let isHeld = fate == .stored || fate == .known
                let counts = isHeld ? try room.counts(of: item.batch.id) : VerdictCounts()
                return MergeOutcome(
                    log: item.batch.log, head: item.batch.head,
                    fate: fate, size: item.batch.size, accepted: counts.accepted,
                    waiting: counts.waiting, refused: counts.refused)
            }
            return MergeReport(
                outcomes: outcomes, changedControl: changedControl, sealedBefore: sealedBefore,
                changes: changes, view: try look(at: room))
        }
        shown = report.view
        return report
    }

    /// Goes on with what a change of authority has left to do.
    ///
    /// - Parameter notify: called with what has come of it, after the commit.
    /// - Returns: whether more is left.
    func reapply(notify: (RoomChanges) -> Void = { _ in }) throws -> Bool {
        guard !room.reindex.jobs.isEmpty else { return false }
        let (_, changes) = try change { room in try room.gathering { try Reindex.step(&$0) } }
        notify(changes)
        return !room.reindex.jobs.isEmpty
    }

    /// Enters changes, all or none; on return they are on the disk and in the form tables.
    ///
    /// - Returns: the record of each row and change, in order.
    @discardableResult
    func append(_ changes: [LocalChange], wall: UInt64) throws -> [RecordName] {
        try change { try $0.append(changes, wall: wall) }
    }

    /// Enters changes as `next` hands them over, until it returns nil, all or none.
    ///
    /// - Returns: how many rows and changes there were.
    func append(wall: UInt64, next: () throws -> [LocalChange]?) throws -> Int {
        try change { try $0.append(wall: wall, next: next) }
    }

    /// Enters changes, all or none, and in the same transaction seals all that is pending, where
    /// no batches of our own are missing here.
    ///
    /// - Returns: the record of each change, and the batches.
    func enter(
        _ changes: [LocalChange], wall: UInt64
    ) throws -> (records: [RecordName], batches: [Batch]) {
        let seals = try committer.mayCommit(.records, in: room)
        return try change { room in
            guard seals else { return (try room.append(changes, wall: wall), []) }
            room.pending.deferWriting()
            let records = try room.append(changes, wall: wall)
            // What is sealed is in the tables as it will be.
            try room.recompute()
            let batches = try Committer.seal(&room, wall: wall)
            try room.pending.writeDeferred()
            return (records, batches)
        }
    }

    /// Seals all that is pending and allowed; on return the batches may be offered. What this
    /// device's role does not allow stays pending, and counts once it does.
    ///
    /// - Throws: `StoreError.sealingBlocked` while batches of our own are missing here.
    func seal(atMost limit: Int = .max, wall: UInt64) throws -> [Batch] {
        try committer.require(.records, in: room)
        guard try Committer.hasWork(in: room) else { return [] }
        return try change { try Committer.seal(&$0, atMost: limit, wall: wall) }
    }

    /// Seals control operations at once, in as many batches as they take. In the names of operations
    /// `BatchID.thisBatch` stands for all of them, counted through.
    ///
    /// - Parameter recovery: the room's recovery key, where that decides and not this device.
    /// - Throws: `StoreError.refused`, and nothing is kept, for what would be refused;
    ///   `StoreError.sealingBlocked` while batches of our own are missing here.
    func decide(
        _ operations: [ControlOperation], as recovery: DeviceIdentity? = nil, wall: UInt64
    ) throws -> [Batch] {
        if recovery == nil { try committer.require(.control, in: room) }
        return try change {
            try Committer.decide(operations, by: recovery ?? $0.identity, in: &$0, wall: wall)
        }
    }

    /// Makes what is derived anew from the batches and the pending operations; what a change of
    /// authority had left to do is done with it.
    ///
    /// - Parameter progress: called with how many batches of how many are done.
    func rebuild(progress: (Int, Int) throws -> Void = { _, _ in }) throws {
        try change { try Rebuild.run(&$0, progress: progress) }
    }

    /// Notes how far a peer has a log, by its own word; in the file with the next transaction.
    func noteDelivered(_ acknowledgement: Acknowledgement, by peer: DeviceKey) {
        room.log.delivery.note(acknowledgement, by: peer)
    }
}
