package import ShareCrypto

extension Authority {
    /// The rights of a device at a held batch of one of its logs. For a control log the ancestry is
    /// known; `ancestry` is asked for records logs.
    ///
    /// - Complexity: O(operations about the device).
    package func standing(
        of author: DeviceKey, kind: LogKind, at batch: LogHead, in ancestry: some LogAncestry
    ) -> Standing {
        guard kind == .records else { return controlStanding(of: author, at: batch) }
        guard let device = room.indexes[author] else { return .unknown }
        let standing = standing(of: device, at: .records(batch, in: ancestry))
        guard standing.role != nil, ancestry.hasTooManyHeads,
            !force.isRemoved(device, in: room)
        else { return standing }
        let named = force.about(device).map { room.operations[$0] }
            .filter { !$0.isAboutItsAuthor }.flatMap(\.heads.records)
        let isNamed = named.contains { ancestry.coverage(of: batch, by: $0) == .covered }
        return isNamed ? standing : .refused(.forked)
    }

    /// The rights of a device at a batch of its control log.
    package func controlStanding(of author: DeviceKey, at batch: LogHead) -> Standing {
        guard let held = room.held(batch.batch, by: author),
            let device = room.indexes[author]
        else { return .unknown }
        return controlStanding(of: device, at: held)
    }

    func controlStanding(of device: Int, at held: AuthorityRoom.HeldBatch) -> Standing {
        if device == room.recovery { return .member(.owner) }
        let standing = standing(of: device, at: .control(held.place))
        guard standing.role != nil else { return standing }
        let branches = force.branchesThatCount(of: device, in: room)
        return branches.contains(held, in: room) ? standing : .refused(.forked)
    }

    /// Whether an acceptance of a held batch of records would let its author do more there: a
    /// removal or a change of its role that did not know of the batch is what keeps it from that.
    ///
    /// - Complexity: O(operations about the device).
    package func gainsByAcceptance(
        _ author: DeviceKey, ofRecords batch: LogHead, in ancestry: some LogAncestry
    ) -> Bool {
        guard let device = room.indexes[author] else { return false }
        return force.gains(device, at: .records(batch, in: ancestry), in: room)
    }

    /// The rights that a device would have at a batch with that number, made beside all heads
    /// named.
    package func standing(ofNext number: UInt64, in log: LogName) -> Standing {
        guard let device = room.indexes[log.author] else { return .unknown }
        return standing(of: device, at: .next(log.kind, number: number))
    }

    private func standing(of device: Int, at place: AuthorityPosition) -> Standing {
        switch force.result(device, at: place, in: room) {
        case .none: force.knows(device, in: room) ? .refused(.beforeGrant) : .unknown
        case .role(let role, let scopes): .member(role, scopes: scopes)
        case .removed, .left: .refused(.removed)
        }
    }
}

extension Authority {
    /// The settings that say whether anybody nearby may join, whether the room is kept from
    /// strangers, and whether entries go out as they are made; owners alone set them.
    package static let openSetting = "open"
    package static let hiddenSetting = "hidden"
    package static let autopushSetting = "autopush"
    /// How much a member may write; owners alone set it, too.
    package static let quotaSetting = "quota"
    private static let ownersSettings: Set<String> = [
        openSetting, hiddenSetting, autopushSetting, quotaSetting,
    ]

    /// Whether a role suffices for a control operation. Removing oneself needs any role, which
    /// the caller looks at.
    static func permits(_ role: Role, _ sort: OperationSort) -> Bool {
        switch sort {
        case .found: false
        case .set, .form, .part, .list, .grant: role >= .editor
        case .ownersSetting, .ownersGrant, .roleChange, .removal, .accept: role == .owner
        }
    }

    static func isOwners(_ setting: Setting) -> Bool { ownersSettings.contains(setting.key) }
}
