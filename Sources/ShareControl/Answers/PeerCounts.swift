package import JSON

/// How many peers are nearby, connected, and identical with this device.
package struct PeerCounts: JSONConvertible {
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

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        nearby = try object.get("nearby")
        connected = try object.get("connected")
        identical = try object.get("identical")
        differing = try object.get("differing")
    }

    package var json: JSONValue {
        [
            "nearby": nearby.json, "connected": connected.json, "identical": identical.json,
            "differing": differing.json,
        ]
    }
}
