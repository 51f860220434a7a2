package import ShareCrypto

/// A promise to admit who knows the code, kept by the device that made it. Only
/// `InviteBook` changes one; the store keeps `encoded` after each change.
package struct Invite: Hashable, Sendable {
    package let code: JoinCode
    package let room: RoomID
    package let role: Role
    /// When it was made and when it ends: milliseconds of this device's wall clock since 1970.
    package let made: UInt64
    package let expires: UInt64
    /// How many more wrong codes it survives; at 0 it has ended.
    package internal(set) var attemptsLeft: Int
    /// How many more keys it may admit.
    package internal(set) var usesLeft: Int
    package internal(set) var usedBy: [DeviceKey: InviteUse] = [:]

    package init(
        code: JoinCode, room: RoomID, role: Role, made: UInt64, expires: UInt64, uses: Int,
        attempts: Int = JoinLimits.attemptsPerInvite
    ) {
        self.code = code
        self.room = room
        self.role = role
        self.made = made
        self.expires = expires
        usesLeft = uses
        attemptsLeft = attempts
    }

    /// Whether its time is up. A clock set back far before the making counts as that too, as
    /// nothing can be said about the time that has passed.
    package func isExpired(at now: UInt64) -> Bool {
        now >= expires || now.addingReportingOverflow(expires - min(made, expires)).0 < made
    }

    /// Whether wrong codes have ended it: its maker is told so, and that somebody is guessing.
    package var isEndedByWrongCodes: Bool { attemptsLeft == 0 }

    /// Whether a device with this key gets an answer: one that was admitted goes on getting it
    /// until the invite expires, so that a lost answer can be asked for again.
    package func answers(_ key: DeviceKey, at now: UInt64) -> Bool {
        guard !isExpired(at: now) else { return false }
        return usedBy[key] != nil || (attemptsLeft > 0 && usesLeft > 0)
    }
}
