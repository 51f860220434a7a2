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
    /// the device's own clock; without a moment all of them. What its role did not allow counted
    /// for nothing before, and is left out.
    ///
    /// - Complexity: O(batches of the device).
    func extent(of device: DeviceKey, before moment: Timestamp?) throws -> DeviceExtent {
        var extent = DeviceExtent()
        guard let author = try devices.find(device) else { return extent }
        let control = try walk(author, .control, before: moment)
        let records = try walk(author, .records, before: moment)
        extent.heads = CoveredHeads(control: control.heads, records: records.heads)
        extent.operations = records.operations
        extent.beyond = records.beyond
        extent.last = records.last
        return extent
    }

    private struct Walk {
        var heads: [LogHead] = []
        var operations = 0
        var beyond = 0
        var last: Timestamp?
    }

    private func walk(
        _ author: Int64, _ kind: LogKind, before moment: Timestamp?
    ) throws -> Walk {
        var walk = Walk()
        // The ends of all branches before the moment, and what else lies there.
        var heads: [BatchID: LogHead] = [:]
        var included: Set<BatchID> = []
        let lowered = try refusedByRole(in: author, kind)
        try eachBatch(of: author, kind) { batch in
            guard let clock = batch.clock else { return }
            let head = batch.head
            let follows = head.number == 1 || included.contains(batch.previous)
            guard follows, moment.map({ clock < $0 }) ?? true else {
                walk.beyond += batch.operations
                return
            }
            included.insert(head.batch)
            heads[batch.previous] = nil
            heads[head.batch] = head
            walk.operations += batch.operations - (lowered[batch.row] ?? 0)
            walk.last = max(walk.last ?? clock, clock)
        }
        walk.heads = Array(heads.values.sorted().suffix(Limits.basesPerOperation))
        return walk
    }
}
