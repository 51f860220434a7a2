/// The answer to `sync`.
package struct SyncAnswer: JSONConvertible {
    /// Whether every connected peer is identical with this device.
    package var identical: Bool
    /// The connected ones.
    package var peers: [SyncPeer]

    package init(identical: Bool, peers: [SyncPeer]) {
        self.identical = identical
        self.peers = peers
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        identical = try object.get("identical")
        peers = try object.get("peers")
    }

    package var json: JSONValue {
        ["identical": identical.json, "peers": peers.json]
    }
}
