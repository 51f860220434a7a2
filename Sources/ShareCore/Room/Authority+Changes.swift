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
        guard let device = room.indexes[log.author],
            isRemovedByAnother(device, engine.force.result(device, at: .end, in: room))
        else { return nil }
        let inForce = engine.force.about(device)
        guard log.kind == .control else {
            return Set(inForce.flatMap { room.operations[$0].heads.records }).sorted()
        }
        var named = Set(inForce)
        var written: [AuthorityForce] = [engine.force]
        for walk in engine.walks where walk.ranks[device] != nil {
            // Where a walk goes on with its log, what it writes decides about others.
            guard
                isRemovedByAnother(device, walk.force.ownersResult(device, at: .end, in: room))
            else { return nil }
            named.formUnion(walk.force.about(device))
            named.formUnion(walk.setAside.filter { room.operations[$0].subject == device })
            written.append(walk.force)
        }
        var heads = Set(named.flatMap { room.operations[$0].heads.control })
        // A batch with anything in force is needed by all, wherever the line is drawn.
        for held in room.logs[device]
        where room.operations(takenOf: held).contains(where: { index in
            written.contains { $0.contains(index) }
        }) {
            heads.insert(held.batch.head)
        }
        return heads.sorted()
    }

    /// The operations in force about a device: what each is, who wrote it, and the role that it
    /// gives.
    package func inForce(
        about device: DeviceKey
    ) -> [(name: OperationName, author: DeviceKey, role: Role?)] {
        guard let index = room.indexes[device] else { return [] }
        return engine.force.about(index).map {
            let operation = room.operations[$0]
            return (operation.name, room.devices[operation.author], operation.role)
        }
    }

    /// The batches of records logs that operations in force name.
    package var recordsNamed: Set<BatchID> {
        var named: Set<BatchID> = []
        for index in engine.force.operations {
            for head in room.operations[index].heads.records { named.insert(head.batch) }
        }
        return named
    }

    private func isRemovedByAnother(_ device: Int, _ result: AuthorityForce.Result) -> Bool {
        guard case .removed(let removal) = result else { return false }
        // Of leaves two branches may each hold one; everybody needs both.
        return !room.operations[removal].isLeave
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
