package import ShareCrypto

/// A control operation that counts, with its name.
package struct AuthorityChange: Hashable, Sendable {
    package let name: OperationName
    package let operation: ControlOperation

    package init(name: OperationName, operation: ControlOperation) {
        self.name = name
        self.operation = operation
    }
}

/// The difference between two authorities of one room, an older and a newer one.
extension Authority {
    /// The devices whose logs may be judged otherwise by this authority than by an older one.
    ///
    /// - Complexity: O(devices) where little has changed.
    package func devicesJudgedAnew(since old: Authority) -> Set<DeviceKey> {
        // The two lists alone: a copy of either room for each device would cost more than the rest.
        let (now, then) = (room.operations, old.room.operations)
        func isSame(_ one: Int, _ other: Int) -> Bool {
            now[one].name == then[other].name
                && now[one].controlBelow == then[other].controlBelow
                && now[one].controlHeads.count == then[other].controlHeads.count
        }
        var changed: Set<DeviceKey> = []
        for (index, device) in room.devices.enumerated()
        where isUnlike(old, about: device, index, isSame) {
            changed.insert(device)
        }
        for (index, device) in old.room.devices.enumerated()
        where room.indexes[device] == nil && old.force.knows(index, in: old.room) {
            changed.insert(device)
        }
        return changed
    }

    /// The batches that hold an operation which only one of the two has in force, or which both
    /// refuse for unlike reasons.
    ///
    /// - Parameter devices: those that are judged anew.
    package func batchesDecidedAnew(
        since old: Authority, about devices: Set<DeviceKey>
    ) -> Set<BatchID> {
        var names: Set<OperationName> = []
        for device in devices {
            names.formUnion(inForce(about: device).symmetricDifference(old.inForce(about: device)))
        }
        guard !refusals.isEmpty || !old.refusals.isEmpty else { return Set(names.map(\.batch)) }
        let reasons = reasons
        let before = old.reasons
        for (name, reason) in reasons where before[name] != reason { names.insert(name) }
        for name in before.keys where reasons[name] == nil { names.insert(name) }
        return Set(names.map(\.batch))
    }

    private var reasons: [OperationName: Refusal] {
        Dictionary(uniqueKeysWithValues: refusals.map { (room.operations[$0].name, $1) })
    }

    private func isUnlike(
        _ old: Authority, about device: DeviceKey, _ index: Int, _ isSame: (Int, Int) -> Bool
    ) -> Bool {
        // Both number devices as they come in, so nearly always alike.
        let before =
            index < old.room.devices.count && old.room.devices[index] == device
            ? index : old.room.indexes[device]
        guard let before else { return !force.about(index).isEmpty }
        guard room.graphs[index].hasTooManyHeads == old.room.graphs[before].hasTooManyHeads else {
            return true
        }
        guard !force.isSame(about: index, as: old.force, about: before, isSame) else {
            return false
        }
        return Set(force.about(index).map(saying)) != Set(old.force.about(before).map(old.saying))
    }

    /// An operation in force, as its subject feels it: its name, its layer, and those of its heads
    /// that are held.
    private struct Saying: Hashable {
        let name: OperationName
        let layer: OperationsInForce.Layer?
        let held: Int
        let below: UInt64
    }

    private func saying(_ index: Int) -> Saying {
        let operation = room.operations[index]
        return Saying(
            name: operation.name, layer: force.layer(of: index, in: room),
            held: operation.controlHeads.count, below: operation.controlBelow)
    }

    /// The names of all operations in force about a device.
    package func inForce(about device: DeviceKey) -> Set<OperationName> {
        room.indexes[device].map { Set(force.about($0).map { room.operations[$0].name }) } ?? []
    }

    /// The operations in force about a device, with their authors.
    package func decisions(
        about device: DeviceKey
    ) -> [(name: OperationName, author: DeviceKey)] {
        guard let index = room.indexes[device] else { return [] }
        return force.about(index).map {
            (room.operations[$0].name, room.devices[room.operations[$0].author])
        }
    }

    /// The operations in force by which a device lowers others.
    package func lowerings(by author: DeviceKey) -> [AuthorityChange] {
        guard let index = room.indexes[author] else { return [] }
        return room.logs[index].flatMap { held in
            held.batch.entries.compactMap { entry in
                let name = held.batch.name(of: entry)
                guard let place = room.place(of: name), force.contains(place),
                    room.operations[place].isRemoval || room.operations[place].kind == .roleChange,
                    room.operations[place].lowers, !room.operations[place].isAboutItsAuthor
                else { return nil }
                return AuthorityChange(name: name, operation: entry.operation)
            }
        }
    }

    /// The operations that count here and would not count any more in `other`.
    package func changes(voidIn other: Authority) -> [AuthorityChange] {
        let authors = other.devicesJudgedAnew(since: self)
        let decided = other.batchesDecidedAnew(since: self, about: authors)
        var changes: [AuthorityChange] = []
        for (device, log) in zip(room.devices, room.logs) {
            // What counts is at hand.
            for held in log
            where !held.batch.entries.isEmpty
                && (authors.contains(device) || decided.contains(held.batch.head.batch))
            {
                let (before, after) = (verdicts(of: held.batch), other.verdicts(of: held.batch))
                for (place, item) in held.batch.outline.items.enumerated()
                where before[place] == .accepted && after[place] != .accepted {
                    guard let entry = held.batch.entry(at: item.index) else { continue }
                    changes.append(
                        AuthorityChange(
                            name: held.batch.name(of: entry), operation: entry.operation))
                }
            }
        }
        return changes.sorted { $0.name < $1.name }
    }
}
