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
            guard !heads.contains(where: { room.graphs[index].covers($0, batch.head) }) else {
                return []
            }
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
            isRemovedByAnother(device, engine.force.result(device, at: .end, in: room))
        else { return nil }
        let inForce = engine.force.about[device]
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
            named.formUnion(walk.force.about[device])
            named.formUnion(walk.setAside.filter { room.operations[$0].subject == device })
            written.append(walk.force)
        }
        var heads = Set(named.flatMap { room.operations[$0].heads.control })
        // A batch with anything in force is needed by all, wherever the line is drawn.
        for held in room.logs[device]
        where held.operations.contains(where: { index in written.contains { $0.contains(index) } })
        {
            heads.insert(held.batch.head)
        }
        return heads.sorted()
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

    private func inForce(about device: DeviceKey) -> Set<InForce> {
        guard let index = room.indexes[device] else { return [] }
        return Set(
            engine.force.about[index].map {
                InForce(
                    name: room.operations[$0].name, layer: engine.force.layers[$0],
                    isSilent: engine.force.silent.contains($0))
            })
    }
}
