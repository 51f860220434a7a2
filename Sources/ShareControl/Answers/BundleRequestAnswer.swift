package import JSON

/// A device that asks, in a bundle, to be admitted.
package struct BundleRequestAnswer: JSONConvertible {
    package var id: String
    /// What it calls itself.
    package var name: String
    /// When it asked, by its own clock.
    package var asked: String
    /// The role that it has in the room already; nil for none.
    package var role: String?
    /// The role that it had before it was admitted just now; nil for none, and where nobody was
    /// admitted.
    package var before: String?

    package init(id: String, name: String, asked: String, role: String?) {
        self.id = id
        self.name = name
        self.asked = asked
        self.role = role
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        asked = try object.get("asked")
        role = try object.find("role")
        before = try object.find("before")
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": name.json, "asked": asked.json, "role": role.json,
            "before": before.json,
        ]
    }
}
