package import ShareCrypto

/// A message of the exchange by which a device joins, in the order in which they are sent
/// (docs/protocol/joining.md §5).
package enum JoinMessage: Hashable, Sendable {
    /// Joiner to inviter: which invite, and Ya.
    case start(JoinSelector, CPaceShare)
    /// Inviter to joiner: Yb.
    case reply(CPaceShare)
    /// Joiner to inviter: Ta.
    case proof(CPaceTag)
    /// Inviter to joiner: Tb, and a sealed `JoinWelcome`.
    case welcome(CPaceTag, sealed: [UInt8])
    /// Joiner to inviter: a sealed `JoinAcceptance`.
    case accept(sealed: [UInt8])
    /// To a device that may be in an open room: which one, by its name or its short id.
    case ask(String)
    /// Answer to `ask`: the room, and whether the sender may admit.
    case offer(OpenOffer)
    /// To who has offered an open room: which, and an encoded `JoinAcceptance`.
    case enter(RoomID, acceptance: [UInt8])
    /// Either way: the end.
    case refused(JoinRefusal)
}

/// Why a device ends an exchange, as it tells the other one (docs/protocol/joining.md §6).
package enum JoinRefusal: Error, Hashable, Sendable {
    /// No invite with this selector answers this device.
    case noInvite
    /// The code is wrong; the number of further wrong ones that the invite survives.
    case wrongCode(attemptsLeft: Int)
    /// Another exchange about this invite is running.
    case busy
    /// Too many exchanges from this address within a minute; in how many seconds the next may begin,
    /// 0 where that is not said.
    case tooMany(seconds: Int)
    /// Both ends have the same key.
    case ownKey
    /// A message that is not the one that comes next, or in which something is wrong.
    case violation
    /// The device cannot go on: its storage failed.
    case unavailable
    /// The exchange took too long.
    case late
    /// No open room answers to what was asked for.
    case notOpen
    /// An owner has removed this device from the room: it takes an owner's code to come back.
    case removed
    /// The invite's maker may not grant its role any more.
    case notAllowed

    /// The name in the control API.
    package var name: String {
        switch self {
        case .noInvite: "no_invite"
        case .wrongCode: "wrong_code"
        case .busy: "invite_busy"
        case .tooMany: "too_many_attempts"
        case .ownKey: "own_key"
        case .violation: "join_violation"
        case .unavailable: "join_unavailable"
        case .late: "join_late"
        case .notOpen: "not_open"
        case .removed: "removed"
        case .notAllowed: "not_allowed"
        }
    }
}

/// Why a device did not join.
package enum JoinFailure: Error, Hashable, Sendable {
    /// The inviter's own reason.
    case refused(JoinRefusal)
    /// The other end asked for our proof but has none of its own: it does not know the code.
    case unproven
    /// The batch that the other end showed does not found the room that it named.
    case notARoom
    /// Another room than the one that was asked for, and what it is called.
    case otherRoom(RoomID, String)
    /// This device is in the room already, under that name, and the code gives it no more.
    case alreadyMember(RoomID, String, Role)
    /// A message that is not the one that comes next, or in which something is wrong.
    case violation
    case late
    case connectionLost
    /// This device could not write down that it joins.
    case storage
}
