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
