package import JSON

/// How far a connected peer and this device are apart.
package struct PeerDifference: JSONConvertible {
    package var id: String
    package var name: String
    /// Operations that they lack.
    package var behind: Int
    /// Operations that we lack.
    package var ahead: Int
    /// Whether the merged states differ although both hold the same batches.
    package var digestDiffers: Bool
    /// Whether it has not told yet what it holds.
    package var isUnheard: Bool

    package init(
        id: String, name: String, behind: Int, ahead: Int, digestDiffers: Bool,
        isUnheard: Bool = false
    ) {
        self.isUnheard = isUnheard
        self.id = id
        self.name = name
        self.behind = behind
        self.ahead = ahead
        self.digestDiffers = digestDiffers
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        behind = try object.get("behind")
        ahead = try object.get("ahead")
        digestDiffers = try object.get("digest_differs")
        isUnheard = try object.find("unheard") ?? false
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": name.json, "behind": behind.json, "ahead": ahead.json,
            "digest_differs": digestDiffers.json, "unheard": isUnheard.json,
        ]
    }
}
