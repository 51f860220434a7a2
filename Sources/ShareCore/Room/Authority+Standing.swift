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
        guard standing.role != nil, ancestry.hasTooManyHeads,
            engine.cut(of: device, .records, in: room) == nil
        else { return standing }
        let named = engine.namedHeads(of: device, .records, in: room)
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

    /// Whether an acceptance of a held batch of records would let its author do more there: a
    /// removal or a change of its role that did not know of the batch is what keeps it from that.
    ///
    /// - Complexity: O(operations about the device).
    package func gainsByAcceptance(
        _ author: DeviceKey, ofRecords batch: LogHead, in ancestry: some LogAncestry
    ) -> Bool {
        guard let device = room.indexes[author] else { return false }
        return engine.force.gains(device, at: .records(batch, in: ancestry), in: room)
    }

    /// The same of a batch of its control log.
    package func gainsByAcceptance(_ author: DeviceKey, ofControl batch: LogHead) -> Bool {
        guard let device = room.indexes[author],
            let place = room.graphs[device].place(of: batch.batch),
            !engine.walk.ignored.contains(batch.batch)
        else { return false }
        return engine.force.gains(device, at: .control(place), in: room)
    }

    /// What a device could do at a batch with that number that comes beside all heads named.
    package func standing(ofNext number: UInt64, in log: LogName) -> Standing {
        guard let device = room.indexes[log.author] else { return .unknown }
        return standing(of: device, at: .next(log.kind, number: number))
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
