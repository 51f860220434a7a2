/// The answer to `push`.
package struct PushAnswer: JSONConvertible {
    /// Operations sealed by this push.
    package var entries: Int
    package var batches: Int
    /// Those who say that they have stored all of ours.
    package var delivered: [NamedDevice]
    /// Members who are not connected.
    package var notConnected: [NamedDevice]
    /// Connected ones who had not confirmed when the time was up.
    package var unconfirmed: [NamedDevice]
    /// Those who stored it and refused operations in it.
    package var refusing: [RefusingPeer]

    package init(
        entries: Int, batches: Int, delivered: [NamedDevice], notConnected: [NamedDevice],
        unconfirmed: [NamedDevice], refusing: [RefusingPeer]
    ) {
        self.entries = entries
        self.batches = batches
        self.delivered = delivered
        self.notConnected = notConnected
        self.unconfirmed = unconfirmed
        self.refusing = refusing
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        entries = try object.get("entries")
        batches = try object.get("batches")
        delivered = try object.get("delivered")
        notConnected = try object.get("not_connected")
        unconfirmed = try object.get("unconfirmed")
        refusing = try object.get("refusing")
    }

    package var json: JSONValue {
        [
            "entries": entries.json, "batches": batches.json, "delivered": delivered.json,
            "not_connected": notConnected.json, "unconfirmed": unconfirmed.json,
            "refusing": refusing.json,
        ]
    }
}
