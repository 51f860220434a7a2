package import ShareCrypto

extension Authority {
    /// What a device may do at a held batch of one of its logs. For a control log the ancestry
    /// is known; `ancestry` is asked for records logs.
    ///
    /// - Complexity: O(operations about the device).
    package func standing(
        of author: DeviceKey, kind: LogKind, at batch: LogHead, in ancestry: some LogAncestry
    ) -> Standing {
        guard kind == .records else { return controlStanding(of: author, at: batch) }
        guard let device = room.indexes[author] else { return .unknown }
        let standing = standing(of: device, at: .records(batch, in: ancestry))
        guard standing.role != nil, ancestry.hasTooManyHeads else { return standing }
        let named = engine.force.about[device].flatMap { room.operations[$0].heads.records }
        let isNamed = named.contains { ancestry.coverage(of: batch, by: $0) == .covered }
        return isNamed ? standing : .refused(.tooManyHeads)
    }

    /// What a device may do at a batch of its control log.
    package func controlStanding(of author: DeviceKey, at batch: LogHead) -> Standing {
        guard let device = room.indexes[author] else { return .unknown }
        guard let place = room.graphs[device].place(of: batch.batch) else { return .unknown }
        if engine.walk.ignored.contains(batch.batch) { return .refused(.tooManyHeads) }
        return standing(of: device, at: .control(place))
    }

    /// What the operation named in a control log comes to; nil where no such is held.
    package func verdict(of name: OperationName) -> ControlVerdict? {
        guard let (batch, operation) = room.entry(name) else { return nil }
        return verdict(of: operation, name, in: batch)
    }

    /// Every operation of the control logs held, with its verdict.
    package var verdicts: [OperationName: ControlVerdict] {
        var verdicts: [OperationName: ControlVerdict] = [:]
        for batch in room.logs.joined() {
            for entry in batch.batch.entries {
                let name = batch.batch.name(of: entry)
                verdicts[name] = verdict(of: entry.operation, name, in: batch.batch)
            }
        }
        for batch in room.unconnected {
            for entry in batch.entries { verdicts[batch.name(of: entry)] = .waitingForAuthor }
        }
        return verdicts
    }

    private func verdict(
        of operation: ControlOperation, _ name: OperationName, in batch: ControlBatch
    ) -> ControlVerdict {
        let index = room.indexOfOperation[name]
        if let index, engine.force.contains(index) { return .accepted }
        if case .found = operation { return .refused(.notTheFounding) }
        if let index, engine.walk.hasSetAside(index) { return .refused(.outranked) }
        switch controlStanding(of: batch.author, at: batch.head) {
        case .unknown: return .waitingForAuthor
        case .refused(let reason): return .refused(.standing(reason))
        case .member(let role):
            let permits = Authority.permits(role, operation)
            if index == nil, permits { return .accepted }
            if let index, room.operations[index].isAboutItsAuthor,
                engine.walk.staying == room.operations[index].subject
            {
                return .refused(.lastOwner)
            }
            return .refused(permits ? .tooMany : .roleTooLow(role))
        }
    }

    private func standing(of device: Int, at place: AuthorityPlace) -> Standing {
        switch engine.force.result(device, at: place, in: room) {
        case .unknown: .unknown
        case .nothing: .refused(.beforeGrant)
        case .role(let role): .member(role)
        case .removed(let removal): .refused(.removed(room.operations[removal].name))
        }
    }
}
