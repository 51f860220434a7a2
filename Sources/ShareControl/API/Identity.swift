/// The identity of this device.
package struct IdentityAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    /// The whole key in groups of four characters, to be compared by people.
    package var fingerprint: String
    /// The ids that this device had before, whose keys it keeps.
    package var former: [String]
    /// Whether a change of identity was begun and not ended.
    package var isChanging: Bool

    package init(device: NamedDevice, fingerprint: String, former: [String], isChanging: Bool) {
        self.device = device
        self.fingerprint = fingerprint
        self.former = former
        self.isChanging = isChanging
    }
}

/// The consequences of a change of identity for one room.
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

/// The answer of `identity new`.
package struct IdentityChangedAnswer: Codable, Hashable, Sendable {
    /// This device as it is from now on.
    package var device: NamedDevice
    /// As it was.
    package var former: NamedDevice
    /// The name of the file in the data directory that keeps the former key.
    package var kept: String
    package var rooms: [IdentityRoom]

    package init(
        device: NamedDevice, former: NamedDevice, kept: String, rooms: [IdentityRoom]
    ) {
        self.device = device
        self.former = former
        self.kept = kept
        self.rooms = rooms
    }
}
