package import JSON

/// Batches of this device's own that it has to take back before it seals more.
package struct OwnLogRecovery: JSONConvertible {
    /// Who holds them.
    package var peer: NamedDevice
    /// How many are still to come.
    package var batches: Int
    /// For how long sealing has been held.
    package var seconds: Int

    package init(peer: NamedDevice, batches: Int, seconds: Int) {
        self.peer = peer
        self.batches = batches
        self.seconds = seconds
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        peer = try object.get("peer")
        batches = try object.get("batches")
        seconds = try object.get("seconds")
    }

    package var json: JSONValue {
        ["peer": peer.json, "batches": batches.json, "seconds": seconds.json]
    }
}
