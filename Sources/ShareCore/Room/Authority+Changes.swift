package import ShareCrypto

extension Authority {
    /// The devices whose logs may be judged otherwise by this authority than by an older one.
    package func devicesJudgedAnew(since old: Authority) -> Set<DeviceKey> {
        var changed: Set<DeviceKey> = []
        for device in Set(room.devices).union(old.room.devices)
        where standingOperations(about: device) != old.standingOperations(about: device) {
            changed.insert(device)
        }
        return changed
    }

    /// What of a log is requested and passed on: nil for all of it; else nothing but these
    /// heads and their ancestors, as its author is removed (docs/protocol/authority.md §7).
    package func cut(of log: LogName) -> [LogHead]? {
        room.indexes[log.author].flatMap { engine.cut(of: $0, log.kind, in: room) }?.sorted()
    }

    /// The heads that operations in force about its author name for a log.
    package func namedHeads(of log: LogName) -> Set<LogHead> {
        room.indexes[log.author].map { engine.namedHeads(of: $0, log.kind, in: room) } ?? []
    }

    /// The number of the next batch of a log at the least, by what operations in force about its
    /// author tell: it comes after every head that they name, and where the latest grant begins.
    package func nextNumber(in log: LogName) -> UInt64 {
        guard let index = room.indexes[log.author] else { return 1 }
        // Editors' grants tell of nothing where owners have given a role.
        let giving = latest(about: index).filter { room.operations[$0].role != nil }
        let owners = giving.filter { engine.force.layer(of: $0) == .owners }
        let begin = (owners.isEmpty ? giving : owners).map {
            let operation = room.operations[$0]
            return log.kind == .control ? operation.firstControl : operation.firstRecords
        }.min()
        let named = engine.namedHeads(of: index, log.kind, in: room).map(\.number).max() ?? 0
        return max(named + 1, begin ?? 1)
    }

    /// The operations about a device that are in force, or were in a walk on the way to it, with
    /// their authors: what a walk put in force may stand although its author's own grant is void
    /// in the end.
    package func everInForce(
        about device: DeviceKey
    ) -> [(name: OperationName, author: DeviceKey)] {
        guard let index = room.indexes[device] else { return [] }
        let operations = engine.walks.reduce(into: Set(engine.force.about(index))) {
            $0.formUnion($1.force.about(index))
        }
        return operations.sorted().map {
            (room.operations[$0].name, room.devices[room.operations[$0].author])
        }
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

    /// Whether a removal of a device by another one is in force, though it may have a role again.
    package func wasRemoved(_ device: DeviceKey) -> Bool {
        guard let index = room.indexes[device] else { return false }
        return engine.force.about(index).contains {
            room.operations[$0].isRemoval && !room.operations[$0].isLeave
        }
    }

    /// Whether an owner has given a device a role below this one, and nobody another one since. What
    /// the device says of itself counts for nothing here: it may have left after that.
    package func isLowered(_ device: DeviceKey, below role: Role) -> Bool {
        guard let index = room.indexes[device] else { return false }
        let owners = engine.force.about(index).filter { engine.force.layer(of: $0) == .owners }
        let giving = owners.filter { room.operations[$0].role != nil }
        var seen: Set<Int> = []
        var left = giving.flatMap { room.operations[$0].after }
        while let operation = left.popLast() {
            guard seen.insert(operation).inserted else { continue }
            left += room.operations[operation].after
        }
        return giving.contains { place in
            let operation = room.operations[place]
            return operation.kind == .roleChange && !operation.isAboutItsAuthor
                && operation.role.map { $0 < role } == true && !seen.contains(place)
        }
    }

    /// Whether something was left out of a first computation (docs/protocol/authority.md §5): then
    /// what is in force nowhere in the end may have decided about it.
    package var hasLeftOut: Bool { engine.walks.count > 1 }

    /// The batches of records logs that operations in force name.
    package var recordsNamed: Set<BatchID> {
        var named: Set<BatchID> = []
        for index in engine.force.operations {
            for head in room.operations[index].heads.records { named.insert(head.batch) }
        }
        return named
    }

    private struct InForce: Hashable {
        let name: OperationName
        let layer: AuthorityForce.Layer
        let isSilent: Bool
    }

    private func standingOperations(about device: DeviceKey) -> Set<InForce> {
        guard let index = room.indexes[device] else { return [] }
        return Set(
            engine.force.about(index).map {
                InForce(
                    name: room.operations[$0].name, layer: engine.force.layer(of: $0),
                    isSilent: engine.force.silent.contains($0))
            })
    }
}
