/// One member of a room, or a former one with the role `removed` or `left`.
package struct MemberAnswer: JSONConvertible {
    package var id: String
    package var name: String
    package var role: String
    /// Whether it is this device.
    package var isSelf: Bool
    /// Whether it is an identity that this device had before.
    package var wasSelf: Bool
    /// What is wrong with its identity or its logs, for people.
    package var faults: [String]
    /// How it came to be no member any more; nil for a member.
    package var removed: RemovalAnswer?

    package init(
        id: String, name: String, role: String, isSelf: Bool, wasSelf: Bool = false,
        faults: [String] = [], removed: RemovalAnswer? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.isSelf = isSelf
        self.wasSelf = wasSelf
        self.faults = faults
        self.removed = removed
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        role = try object.get("role")
        isSelf = try object.get("self")
        wasSelf = try object.find("former_self") ?? false
        faults = try object.find("faults") ?? []
        removed = try object.find("removed")
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": name.json, "role": role.json, "self": isSelf.json,
            "former_self": wasSelf.json, "faults": faults.json, "removed": removed.json,
        ]
    }
}
