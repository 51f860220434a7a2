/// One room that this device is in.
package struct RoomAnswer: JSONConvertible {
    package var name: String
    package var id: String
    package var role: String
    package var current: Bool
    /// How this device came to be no member any more; nil while it is one.
    package var removed: RemovalAnswer?

    package init(
        name: String, id: String, role: String, current: Bool, removed: RemovalAnswer? = nil
    ) {
        self.name = name
        self.id = id
        self.role = role
        self.current = current
        self.removed = removed
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        name = try object.get("name")
        id = try object.get("id")
        role = try object.get("role")
        current = try object.get("current")
        removed = try object.find("removed")
    }

    package var json: JSONValue {
        [
            "name": name.json, "id": id.json, "role": role.json, "current": current.json,
            "removed": removed.json,
        ]
    }
}
