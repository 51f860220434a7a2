/// One room that this device is in.
package struct RoomAnswer: JSONConvertible {
    package var name: String
    package var id: String
    package var role: String
    package var current: Bool
    /// How this device came to be no member any more; nil while it is one.
    package var removed: RemovalAnswer?
    /// Why the room cannot be used, where its file could not be opened (role `damaged`).
    package var problem: Problem?

    package init(
        name: String, id: String, role: String, current: Bool, removed: RemovalAnswer? = nil,
        problem: Problem? = nil
    ) {
        self.problem = problem
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
        problem = try object.find("problem")
    }

    package var json: JSONValue {
        [
            "name": name.json, "id": id.json, "role": role.json, "current": current.json,
            "removed": removed.json,
            "problem": problem.json,
        ]
    }
}
