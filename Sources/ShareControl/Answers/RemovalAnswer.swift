/// How a device came to be no member any more.
package struct RemovalAnswer: Codable, Hashable, Sendable {
    /// Who removed it; the device itself if it left.
    package var by: NamedDevice
    /// RFC 3339, UTC; by the clock of who removed it.
    package var at: String
    package var reason: String

    package init(by: NamedDevice, at: String, reason: String) {
        self.by = by
        self.at = at
        self.reason = reason
    }
}
