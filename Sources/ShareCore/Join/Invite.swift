package import ShareCrypto

/// A promise to admit who knows the code, kept by the device that made it. Only
/// `InviteBook` changes one; the store keeps `encoded` after each change.
package struct Invite: Hashable, Sendable {
    package let code: JoinCode
    package let room: RoomID
    package let role: Role
    /// The scope for the entries of those whom it admits; nil for no bound.
    package let scope: Scope?
    /// The name that people gave it; nil for none.
    package let name: String?
    /// When it was made and when it expires: milliseconds of this device's wall clock since 1970.
    package let made: UInt64
    package let expires: UInt64
    /// How many keys it may admit in all.
    package let uses: Int
    /// How many more wrong codes it survives; at 0 it has ended.
    package internal(set) var attemptsLeft: Int
    package internal(set) var usedBy: [DeviceKey: InviteUse] = [:]
    package internal(set) var isWithdrawn = false
    /// When it ended before its time, on the clock of `made`.
    package internal(set) var ended: UInt64?

    package init(
        code: JoinCode, room: RoomID, role: Role, scope: Scope? = nil, name: String? = nil,
        made: UInt64, expires: UInt64, uses: Int
    ) {
        self.code = code
        self.room = room
        self.role = role
        self.scope = scope
        self.name = name
        self.made = made
        self.expires = expires
        self.uses = uses
        attemptsLeft = JoinLimits.attemptsPerInvite
    }

    /// How many more keys it may admit.
    package var usesLeft: Int { max(0, uses - usedBy.count) }

    /// Whether its time is up. A clock set back far before the making counts as that too, as
    /// nothing can be said about the time that has passed.
    package func isExpired(at now: UInt64) -> Bool {
        now >= expires || now.addingReportingOverflow(expires - min(made, expires)).0 < made
    }

    /// Why it answers nobody new; nil while it does.
    package func end(at now: UInt64) -> InviteEnd? {
        if isWithdrawn { return .withdrawn }
        if attemptsLeft == 0 { return .wrongCodes }
        if isExpired(at: now) { return .expired }
        return usesLeft == 0 ? .usedUp : nil
    }

    /// Whether a device with this key gets an answer: one that was admitted goes on getting it
    /// until the invite expires, so that a lost answer can be asked for again.
    package func answers(_ key: DeviceKey, at now: UInt64) -> Bool {
        switch end(at: now) {
        case nil: true
        case .usedUp: usedBy[key] != nil
        case .wrongCodes: usedBy[key] != nil && !isExpired(at: now)
        case .withdrawn, .expired: false
        }
    }

    /// Whether it answers anybody, and so counts among the live ones.
    package func isLive(at now: UInt64) -> Bool {
        switch end(at: now) {
        case nil, .usedUp: true
        case .wrongCodes: !isExpired(at: now) && !usedBy.isEmpty
        case .withdrawn, .expired: false
        }
    }

    /// Whether it ended so long ago that it need not be shown any more. A clock that was set
    /// back that far counts as well.
    func isForgotten(at now: UInt64) -> Bool {
        guard !isLive(at: now) else { return false }
        let end = ended ?? expires
        return max(now, end) - min(now, end) >= JoinLimits.endedInviteKept
    }
}

/// The progress of one device with an invite.
package enum InviteUse: Hashable, Sendable {
    /// The device has accepted; its grant is being written, or was when this device stopped.
    case accepted
    /// The grant that it got, and gets again if it asks again.
    case granted(OperationName)
}

/// Why an invite answers nobody new any more.
package enum InviteEnd: Hashable, Sendable {
    /// It has admitted as many keys as it may. Those it goes on answering until it expires.
    case usedUp
    case wrongCodes
    case withdrawn
    case expired
}

/// The answer to a selector.
package enum InviteOpening: Hashable, Sendable {
    case invite(Invite)
    /// No such invite, or none that answers this device: the two cannot be told apart.
    case none
    /// Another exchange about this invite is running.
    case busy
}
