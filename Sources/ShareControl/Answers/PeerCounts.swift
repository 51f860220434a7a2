/// How many peers are nearby, connected, and identical with this device.
package struct PeerCounts: Codable, Hashable, Sendable {
    /// In reach, the connected ones included.
    package var nearby: Int
    package var connected: Int
    package var identical: Int
    /// The connected ones that are not identical.
    package var differing: [PeerDifference]

    package init(nearby: Int, connected: Int, identical: Int, differing: [PeerDifference]) {
        self.nearby = nearby
        self.connected = connected
        self.identical = identical
        self.differing = differing
    }
}
