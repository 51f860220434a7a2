/// What a change of identity is to one room.
package struct IdentityRoom: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// The role of the new identity; nil where it has to be invited.
    package var role: String?
    /// The role of the old one, which it keeps.
    package var formerRole: String?
    /// Members that do not hold all that the old identity has written.
    package var missing: [NamedDevice]

    package init(
        room: NamedRoom, role: String?, formerRole: String?, missing: [NamedDevice] = []
    ) {
        self.room = room
        self.role = role
        self.formerRole = formerRole
        self.missing = missing
    }
}
