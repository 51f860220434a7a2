package import ShareCrypto

/// The plan of a new operation about a device: what it has to name, and what it would change,
/// before it is sealed.
extension Authority {
    /// The part of a log that is requested and passed on: nil for all of it; for a removed author
    /// only these heads and their ancestors (docs/protocol/authority.md §5).
    package func cut(of log: LogName) -> [LogHead]? {
        guard let index = room.indexes[log.author], force.isRemoved(index, in: room) else {
            return nil
        }
        // A removed device says nothing of what counts of it. What others superseded says it still
        // of places that no later one acts at, so its heads are needed too.
        var heads = Set(
            force.about(index).map { room.operations[$0] }.filter { !$0.isAboutItsAuthor }
                .flatMap { $0.heads.heads(in: log.kind) })
        if log.kind == .control, let founding = room.founding.map({ room.operations[$0] }),
            founding.subject == index
        {
            heads.insert(founding.batch)
        }
        return heads.sorted()
    }

    /// The heads that operations in force about its author name for a log.
    package func namedHeads(of log: LogName) -> Set<LogHead> {
        guard let index = room.indexes[log.author] else { return [] }
        return Set(force.about(index).flatMap { room.operations[$0].heads.heads(in: log.kind) })
    }

    /// Whether an operation in force about a device names batches of its records log.
    package func namesRecords(of device: DeviceKey) -> Bool {
        !namedHeads(of: LogName(author: device, kind: .records)).isEmpty
    }

    /// The batches of records logs that operations in force name.
    package var recordsNamed: Set<BatchID> {
        var named: Set<BatchID> = []
        for device in room.devices.indices {
            for operation in force.about(device) {
                for head in room.operations[operation].heads.records { named.insert(head.batch) }
            }
        }
        return named
    }

    /// The number of the next batch of a log at the least, by what operations in force about its
    /// author tell: it comes after every head that they name, and where the latest grant begins.
    package func nextNumber(in log: LogName) -> UInt64 {
        guard let index = room.indexes[log.author] else { return 1 }
        // Editors' grants tell of nothing where owners have given a role.
        let giving = latest(about: index).filter { room.operations[$0].role != nil }
        let owners = giving.filter { force.layer(of: $0, in: room) == .owners }
        let begin = (owners.isEmpty ? giving : owners).map {
            let operation = room.operations[$0]
            return log.kind == .control ? operation.firstControl : operation.firstRecords
        }.min()
        let named = namedHeads(of: log).map(\.number).max() ?? 0
        return max(named + 1, begin ?? 1)
    }

    /// The devices that one operation that was looked at makes owners or editors, and that another
    /// one is about too: whom they admitted or removed depends on what became of all these, and
    /// whoever lacks one may see it otherwise.
    ///
    /// - Complexity: O(operations looked at).
    package var disputedAdmitters: Set<DeviceKey> {
        var operations: [Int: Int] = [:]
        var admitters: Set<Int> = []
        for operation in room.operations {
            operations[operation.subject, default: 0] += 1
            if operation.role.map({ $0 >= .editor }) ?? false {
                admitters.insert(operation.subject)
            }
        }
        return Set(admitters.filter { operations[$0] != 1 }.map { room.devices[$0] })
    }

    /// Whether branches of a control log count for nothing because there are too many.
    package var leavesOutBranches: Bool {
        room.graphs.indices.contains { room.graphs[$0].hasTooManyHeads }
    }

    /// Whether a removal of a device by another one is in force, though it may have a role again.
    package func wasRemoved(_ device: DeviceKey) -> Bool {
        guard let index = room.indexes[device] else { return false }
        return force.about(index).contains {
            room.operations[$0].isRemoval && !room.operations[$0].isLeave
        }
    }

    /// Whether an owner has given a device a role below this one, and nobody another one since. What
    /// the device says of itself counts for nothing here: it may have left after that.
    package func isLowered(_ device: DeviceKey, below role: Role) -> Bool {
        guard let index = room.indexes[device] else { return false }
        let giving = force.about(index).filter {
            force.layer(of: $0, in: room) == .owners && room.operations[$0].role != nil
        }
        var superseded: Set<Int> = []
        var left = giving.flatMap { room.operations[$0].supersedes }
        while let operation = left.popLast() {
            guard superseded.insert(operation).inserted else { continue }
            left += room.operations[operation].supersedes
        }
        return giving.contains { place in
            let operation = room.operations[place]
            return operation.kind == .roleChange && !operation.isAboutItsAuthor
                && operation.role.map { $0 < role } == true && !superseded.contains(place)
        }
    }

    /// The operations that the next one about a device names in `supersedes`, in order: all that
    /// are in force about it, since one that is not named may outrank it. Where they are more than
    /// can be listed, those of `latest` come first.
    ///
    /// - Complexity: O(operations about the device).
    package func superseded(about device: DeviceKey) -> [OperationName] {
        let latest = latest(about: device)
        let others = inForce(about: device).subtracting(latest).sorted()
        return (latest + others).prefix(Limits.parentsPerOperation).sorted()
    }

    /// Of the operations in force about a device acceptances, and those that none of the others
    /// supersedes, in order. Where they are more than can be listed, first those that lower.
    ///
    /// - Complexity: O(operations about the device).
    package func latest(about device: DeviceKey) -> [OperationName] {
        guard let index = room.indexes[device] else { return [] }
        let latest = latest(about: index).map { room.operations[$0] }
        let lowering = latest.filter(\.lowers) + latest.filter { !$0.lowers }
        return lowering.prefix(Limits.parentsPerOperation).map(\.name).sorted()
    }

    private func latest(about device: Int) -> [Int] {
        let about = force.about(device)
        // Through an operation of the other layer not everything is superseded.
        var superseded: Set<Int> = []
        for operation in about {
            for other in room.operations[operation].supersedes
            where force.layer(of: other, in: room) == force.layer(of: operation, in: room) {
                superseded.insert(other)
            }
        }
        return about.filter { !superseded.contains($0) }
    }

    /// The room as it would be with these operations in the next batch of a device's control log, but
    /// for what would come to count of batches that are closed.
    ///
    /// - Parameter last: the batch that they would follow; nil for the first one.
    /// - Complexity: that of `adding(_:)`.
    package func adding(
        _ operations: [ControlOperation], by author: DeviceKey, after last: LogHead?
    ) -> Authority {
        let batch = ControlBatch(
            author: author,
            head: LogHead(number: (last?.number ?? 0) + 1, batch: Authority.trial),
            previous: last?.batch ?? BatchID(roomID.digest),
            entries: operations.enumerated().map {
                ControlBatch.Entry(index: $0, operation: $1)
            })
        return adding([batch])
    }

    /// Stands for the batch that is not sealed yet.
    package static let trial = BatchID(Hash.digest(Array("shared trial".utf8)))
}
