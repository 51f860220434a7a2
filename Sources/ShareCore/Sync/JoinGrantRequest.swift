package import ShareCrypto

/// The grant that an inviter is to write for a device that has accepted.
package struct JoinGrantRequest: Hashable, Sendable {
    package let room: RoomID
    package let subject: DeviceKey
    package let role: Role
    /// The numbers after the joiner's own heads.
    package let firstControl: UInt64
    package let firstRecords: UInt64

    init(room: RoomID, subject: DeviceKey, role: Role, heads: CoveredHeads) {
        self.room = room
        self.subject = subject
        self.role = role
        firstControl = 1 + (heads.control.map(\.number).max() ?? 0)
        firstRecords = 1 + (heads.records.map(\.number).max() ?? 0)
    }
}
