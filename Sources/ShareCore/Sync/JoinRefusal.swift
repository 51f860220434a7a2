/// Why a device ends an exchange, as it tells the other one (docs/protocol/joining.md §6).
package enum JoinRefusal: Error, Hashable, Sendable {
    /// No invite with this selector answers this device.
    case noInvite
    /// The code is wrong; the number of further wrong ones that the invite survives.
    case wrongCode(attemptsLeft: Int)
    /// Another exchange about this invite is running.
    case busy
    /// Too many exchanges from this address within a minute.
    case tooMany
    /// Both ends have the same key.
    case ownKey
    /// A message that is malformed, or not the one that comes next.
    case violation
    /// The device cannot go on: its storage failed.
    case unavailable
    /// The exchange took too long.
    case late
    /// No open room answers to what was asked for.
    case notOpen
    /// An owner has removed this device from the room: it takes an owner's code to come back.
    case removed
    /// Who made the invite may not grant its role any more.
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
