/// The answer to `accept`.
package struct AcceptedAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var room: NamedRoom
    /// Operations of the device on records that count again, and such that stay refused for where
    /// they stand in its log.
    package var accepted: Int
    package var refused: Int
    /// Operations of other devices that count again by it.
    package var others: Int
    /// Entries of the device that do not count, as their form does not.
    package var blocked: [BlockedAnswer]
    /// Whether records still follow, so that the numbers are not the last ones.
    package var settling: Bool
    package var heard: [NamedDevice]
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, accepted: Int, refused: Int, others: Int,
        blocked: [BlockedAnswer], settling: Bool,
        heard: [NamedDevice], notHeard: [NamedDevice]
    ) {
        self.device = device
        self.room = room
        self.accepted = accepted
        self.refused = refused
        self.others = others
        self.blocked = blocked
        self.settling = settling
        self.heard = heard
        self.notHeard = notHeard
    }
}
