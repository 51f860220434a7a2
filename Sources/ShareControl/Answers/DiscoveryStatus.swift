/// Whether devices nearby can be found.
package struct DiscoveryStatus: Codable, Hashable, Sendable {
    /// `running`, `starting`, `off` or `unavailable`.
    package var state: String
    package var hint: String?

    package init(state: String, hint: String? = nil) {
        self.state = state
        self.hint = hint
    }
}
