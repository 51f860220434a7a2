/// The answer to `role`.
package struct RoleAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var room: NamedRoom
    package var role: String
    /// The role until now.
    package var before: String
    /// Members who say that they have stored it.
    package var heard: [NamedDevice]
    /// Members who have not: they go by the old role until they hear of it.
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, role: String, before: String, heard: [NamedDevice],
        notHeard: [NamedDevice]
    ) {
        self.device = device
        self.room = room
        self.role = role
        self.before = before
        self.heard = heard
        self.notHeard = notHeard
    }
}
