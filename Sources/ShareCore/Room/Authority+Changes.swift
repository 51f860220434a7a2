package import ShareCrypto

extension Authority {
    /// The devices whose logs may be judged otherwise by this authority than by an older one.
    package func devicesJudgedAnew(since old: Authority) -> Set<DeviceKey> {
        var changed: Set<DeviceKey> = []
        for device in Set(room.devices).union(old.room.devices)
        where inForce(about: device) != old.inForce(about: device) {
            changed.insert(device)
        }
        return changed
    }

    /// The control operations whose verdict differs from an older authority's, or is new.
    package func operationsJudgedAnew(since old: Authority) -> [OperationName] {
        let before = old.verdicts
        return verdicts.filter { before[$0.key] != $0.value }.map(\.key).sorted()
    }

    /// What a device has written in its control log behind these heads and that counts, in the
    /// order of its log: what is void if nothing behind the heads counts any more. Forms and
    /// settings are among it.
    ///
    /// - Complexity: O(operations of the device).
    package func changes(by device: DeviceKey, beyond heads: [LogHead]) -> [AuthorityChange] {
        guard let index = room.indexes[device] else { return [] }
        return room.logs[index].flatMap { held -> [AuthorityChange] in
            let batch = held.batch
            let place = AuthorityPlace(kind: .control, batch: batch.head, in: room.graphs[index])
            guard !heads.contains(where: place.isCovered) else { return [] }
            return batch.entries.compactMap { entry in
                let name = batch.name(of: entry)
                guard verdict(of: name) == .accepted else { return nil }
                return AuthorityChange(name: name, operation: entry.operation)
            }
        }
    }

    /// What of a log is requested and passed on: nil for all of it; else nothing but these
    /// heads and their ancestors, as its author is removed (docs/protocol/authority.md §7).
    package func cut(of log: LogName) -> [LogHead]? {
        guard let device = room.indexes[log.author],
            case .removed(let removal) = engine.force.result(device, at: .end, in: room)
        else { return nil }
        guard log.kind == .control else { return cutHeads(of: device, kind: .records) }
        // Two branches may each hold a leave; everybody needs both.
        guard !room.operations[removal].isLeave, !engine.decisive.contains(device) else {
            return nil
        }
        if engine.first.ranks[device] != nil {
            // Where only worse-ranked owners removed it, what it does against them goes first,
            // so that must reach everyone.
            guard
                case .removed(let first) = engine.first.force.result(device, at: .end, in: room),
                !room.operations[first].isLeave
            else { return nil }
        }
        return cutHeads(of: device, kind: .control)
    }

    private func cutHeads(of device: Int, kind: LogKind) -> [LogHead] {
        var heads: Set<LogHead> = []
        for index in engine.force.about[device] {
            heads.formUnion(room.operations[index].heads.heads(in: kind))
        }
        if kind == .control {
            // A batch with anything in force is needed by all, wherever the line is drawn.
            for held in room.logs[device] where held.operations.contains(where: isInForce) {
                heads.insert(held.batch.head)
            }
        }
        return heads.sorted()
    }

    private func isInForce(_ operation: Int) -> Bool { engine.force.contains(operation) }

    private struct InForce: Hashable {
        let name: OperationName
        let layer: AuthorityForce.Layer
    }

    private func inForce(about device: DeviceKey) -> Set<InForce> {
        guard let index = room.indexes[device] else { return [] }
        return Set(
            engine.force.about[index].map {
                InForce(name: room.operations[$0].name, layer: engine.force.layers[$0])
            })
    }
}
