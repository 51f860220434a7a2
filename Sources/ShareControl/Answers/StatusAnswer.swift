/// The answer of `GET /v1/status`.
package struct StatusAnswer: Codable, Hashable, Sendable {
    package var device: NamedDevice
    package var version: String
    package var rooms: [RoomStatus]
    package var peers: PeerCounts
    package var discovery: DiscoveryStatus
    /// Members whose identity is in two hands, or was.
    package var faults: [DeviceFault]

    package init(
        device: NamedDevice, version: String, rooms: [RoomStatus], peers: PeerCounts,
        discovery: DiscoveryStatus, faults: [DeviceFault] = []
    ) {
        self.device = device
        self.version = version
        self.rooms = rooms
        self.peers = peers
        self.discovery = discovery
        self.faults = faults
    }
}
