package import ShareCrypto

/// Looking ahead: what an operation would do before it is sealed.
extension Authority {
    /// What the next operation about a device lists in `after`, in order: acceptances in force
    /// about it, and the others that none has seen. What these have seen, it has seen through
    /// them. Where they are more than can be listed, first those that lower.
    ///
    /// - Complexity: O(operations about the device).
    package func latest(about device: DeviceKey) -> [OperationName] {
        guard let index = room.indexes[device] else { return [] }
        let latest = latest(about: index).map { room.operations[$0] }
        let lowering = latest.filter(\.lowers) + latest.filter { !$0.lowers }
        return lowering.prefix(Limits.basesPerOperation).map(\.name).sorted()
    }

    /// All of them.
    func latest(about device: Int) -> [Int] {
        let about = engine.force.about(device)
        // Through an operation of the other layer not everything is seen, and through none an
        // acceptance (authority.md §3).
        var seen: Set<Int> = []
        for operation in about {
            for other in room.operations[operation].after
            where engine.force.layer(of: other) == engine.force.layer(of: operation)
                && room.operations[other].kind != .accept
            {
                seen.insert(other)
            }
        }
        return about.filter { !seen.contains($0) }
    }

    /// The room as it would be with these operations in the next batch of a device's control log.
    ///
    /// - Parameter last: the batch that they would follow; nil for the first one.
    /// - Complexity: that of `init`.
    package func adding(
        _ operations: [ControlOperation], by author: DeviceKey, after last: LogHead?
    ) -> Authority {
        let held = room.logs.flatMap { $0.map(\.batch) } + room.unconnected
        let batch = ControlBatch(
            author: author,
            head: LogHead(number: (last?.number ?? 0) + 1, batch: Authority.trial),
            previous: last?.batch ?? BatchID(roomID.digest),
            entries: operations.enumerated().map {
                ControlBatch.Entry(index: $0, operation: $1)
            })
        return Authority(room: roomID, batches: held + [batch])
    }

    /// Stands for the batch that is not sealed yet.
    package static let trial = BatchID(Hash.digest(Array("shared trial".utf8)))

    /// What counts here and would not count any more in `other`.
    package func changes(voidIn other: Authority) -> [AuthorityChange] {
        batchesJudgedAnew(by: other).flatMap { batch -> [AuthorityChange] in
            let before = accepted(in: batch)
            guard !before.isEmpty else { return [] }
            let after = other.accepted(in: batch)
            return batch.entries.compactMap { entry in
                guard before.contains(entry.index), !after.contains(entry.index) else { return nil }
                return AuthorityChange(name: batch.name(of: entry), operation: entry.operation)
            }
        }
        .sorted { $0.name < $1.name }
    }
}
