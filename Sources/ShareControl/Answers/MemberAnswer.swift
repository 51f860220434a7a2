/// One member of a room.
package struct MemberAnswer: JSONConvertible {
    package var id: String
    package var name: String
    package var role: String
    /// Whether it is this device.
    package var isSelf: Bool
    /// What is wrong with its identity or its logs, for people.
    package var faults: [String]

    package init(id: String, name: String, role: String, isSelf: Bool, faults: [String] = []) {
        self.id = id
        self.name = name
        self.role = role
        self.isSelf = isSelf
        self.faults = faults
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        role = try object.get("role")
        isSelf = try object.get("self")
        faults = try object.find("faults") ?? []
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": name.json, "role": role.json, "self": isSelf.json,
            "faults": faults.json,
        ]
    }
}
