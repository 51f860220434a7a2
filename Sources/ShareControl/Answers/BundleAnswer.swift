package import JSON

/// The answer to `bundle read`.
package struct BundleAnswer: JSONConvertible {
    /// Nil for a file that holds requests alone.
    package var room: NamedRoom?
    /// The device that wrote the file; its name is what is known of it here.
    package var writer: NamedDevice?
    /// Whether this device has become a member of the room by it.
    package var joined: Bool
    /// This device's role in the room now.
    package var role: String?
    /// Who founded the room.
    package var founder: NamedDevice?
    /// Whether all of the file was read, and it is as it was written.
    package var complete: Bool
    /// Why it is not complete, and where it broke off.
    package var broken: String?
    package var batches: BundleBatches
    /// Removed devices with batches in the file that lie past their cutoff.
    package var removed: [NamedDevice]
    /// Operations of the new batches, by verdict.
    package var accepted: Int
    package var waiting: Int
    package var refused: Int
    /// Whether this device holds now all that counts of what the writer held; nil where the file
    /// does not say.
    package var identical: Bool?
    /// Whether both hold the same and have come to different states.
    package var digestDiffers: Bool
    package var requests: [BundleRequestAnswer]
    /// The device that was admitted.
    package var admitted: BundleRequestAnswer?

    package init() {
        joined = false
        complete = false
        batches = BundleBatches()
        removed = []
        accepted = 0
        waiting = 0
        refused = 0
        digestDiffers = false
        requests = []
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.find("room")
        writer = try object.find("writer")
        joined = try object.get("joined")
        role = try object.find("role")
        founder = try object.find("founder")
        complete = try object.get("complete")
        broken = try object.find("broken")
        batches = try object.get("batches")
        removed = try object.find("removed") ?? []
        accepted = try object.get("accepted")
        waiting = try object.get("waiting")
        refused = try object.get("refused")
        identical = try object.find("identical")
        digestDiffers = try object.get("digest_differs")
        requests = try object.get("requests")
        admitted = try object.find("admitted")
    }

    package var json: JSONValue {
        [
            "room": room.json, "writer": writer.json, "joined": joined.json, "role": role.json,
            "founder": founder.json, "complete": complete.json, "broken": broken.json,
            "batches": batches.json, "removed": removed.json, "accepted": accepted.json,
            "waiting": waiting.json,
            "refused": refused.json, "identical": identical.json,
            "digest_differs": digestDiffers.json, "requests": requests.json,
            "admitted": admitted.json,
        ]
    }
}
