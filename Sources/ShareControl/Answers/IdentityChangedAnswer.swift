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
