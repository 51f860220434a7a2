/// The answer to `remove`: what was done, or would be.
package struct RemovedAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var room: NamedRoom
    package var reason: String
    /// Whether it was done; false for a look ahead.
    package var done: Bool
    /// Operations of the device on records that go on counting, and such that are refused from
    /// now on.
    package var counted: Int
    package var refused: Int
    /// When the device sealed the last batch that counts, by its own clock.
    package var last: String?
    /// What the device decided past that cutoff, and with it what followed: void now.
    package var void: [VoidAnswer]
    /// Whether the device has taken its removal in.
    package var told: Bool
    /// Members who say that they have stored the removal.
    package var heard: [NamedDevice]
    /// Members who have not: they share with the device until they hear of it.
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, reason: String, done: Bool, counted: Int,
        refused: Int, last: String? = nil, void: [VoidAnswer], told: Bool = false,
        heard: [NamedDevice] = [], notHeard: [NamedDevice] = []
    ) {
        self.device = device
        self.room = room
        self.reason = reason
        self.done = done
        self.counted = counted
        self.refused = refused
        self.last = last
        self.void = void
        self.told = told
        self.heard = heard
        self.notHeard = notHeard
    }
}
