package import ShareCrypto

/// The grant that an inviter is to write for a device that has accepted.
package struct JoinGrantRequest: Hashable, Sendable {
    package let room: RoomID
    package let subject: DeviceKey
    package let role: Role
    /// The numbers after the joiner's own heads, where there are any left.
    package let firstControl: UInt64
    package let firstRecords: UInt64

    init(room: RoomID, subject: DeviceKey, role: Role, heads: CoveredHeads) {
        self.room = room
        self.subject = subject
        self.role = role
        func next(after heads: [LogHead]) -> UInt64 {
            min(1 + (heads.map(\.number).max() ?? 0), Limits.largestNumber)
        }
        firstControl = next(after: heads.control)
        firstRecords = next(after: heads.records)
    }
}
