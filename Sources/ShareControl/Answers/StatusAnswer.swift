package import JSON

/// The answer of `GET /v1/status`.
package struct StatusAnswer: JSONConvertible {
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

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        version = try object.get("version")
        rooms = try object.get("rooms")
        peers = try object.get("peers")
        discovery = try object.get("discovery")
        faults = try object.find("faults") ?? []
    }

    package var json: JSONValue {
        [
            "device": device.json, "version": version.json, "rooms": rooms.json,
            "peers": peers.json, "discovery": discovery.json, "faults": faults.json,
        ]
    }
}
