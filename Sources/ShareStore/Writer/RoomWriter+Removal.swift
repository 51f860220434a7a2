import ShareCore
import ShareCrypto

/// What is asked of the logs when members are removed, and when they are told so.
extension RoomWriter {
    /// The control batches that show a removed device that it was. Empty if it was not removed.
    ///
    /// A grant that it goes by may be void as its author was removed, or lowered, by others; so it
    /// needs to know of that as well (docs/protocol.md, "Sessions").
    func removal(of key: DeviceKey) throws -> [Batch] {
        state.judgement.authority.formerMember(key) == nil ? [] : try path(to: key)
    }

    /// When a control operation was made, by its author's clock; nil where it is not held.
    func moment(of operation: OperationName) -> Timestamp? {
        state.controls.first { $0.head.batch == operation.batch }?
            .entries.first { $0.index == operation.index }?.entry.clock
    }

    /// How far a device's logs go up to the first batch that was sealed at `moment` or later, by
    /// the device's own clock; without a moment all of them. What is refused counted for nothing
    /// before, and is left out of the operations.
    ///
    /// - Complexity: O(batches of the device).
    func extent(of device: DeviceKey, before moment: Timestamp?) throws -> DeviceExtent {
        var extent = DeviceExtent()
        guard let author = try devices.find(device) else { return extent }
        let control = try walk(author, .control, before: moment)
        let records = try walk(author, .records, before: moment)
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
        var last: Timestamp?
    }

    private func walk(
        _ author: Int64, _ kind: LogKind, before moment: Timestamp?
    ) throws -> Walk {
        var walk = Walk()
        // The ends of all branches before the moment, and what else lies there.
        var heads: [BatchID: LogHead] = [:]
        var included: [BatchID: LogRow] = [:]
        let branches = try branchesRefused(author, kind)
        try eachBatch(of: author, kind) { batch in
            guard let clock = batch.clock else { return }
            let follows = batch.head.number == 1 || included[batch.previous] != nil
            guard follows, moment.map({ clock < $0 }) ?? true, try !branches(batch.head) else {
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
            walk.last = max(walk.last ?? .zero, batch.clock ?? .zero)
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
        let authority = state.judgement.authority
        guard hasTooManyHeads(log), authority.cut(of: log) == nil else { return { _ in false } }
        let ancestry = try ancestry(of: author, kind)
        let founding = BatchID(room.digest)
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
    func lastCounting(of device: DeviceKey, _ kind: LogKind) throws -> UInt64 {
        guard let author = try devices.find(device) else { return 0 }
        let authority = state.judgement.authority
        let ancestry = try ancestry(of: author, kind)
        var last: UInt64 = 0
        try eachBatch(of: author, kind) { batch in
            let head = batch.head
            let role = try ancestry.asked {
                authority.standing(of: device, kind: kind, at: head, in: $0).role
            }
            guard role != nil else { return }
            last = max(last, head.number)
        }
        return last
    }
}
