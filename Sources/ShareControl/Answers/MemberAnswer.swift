/// One member of a room.
package struct MemberAnswer: JSONConvertible {
    package var id: String
    package var name: String
    package var role: String
    /// Whether it is this device.
    package var isSelf: Bool

    package init(id: String, name: String, role: String, isSelf: Bool) {
        self.id = id
        self.name = name
        self.role = role
        self.isSelf = isSelf
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        role = try object.get("role")
        isSelf = try object.get("self")
    }

    package var json: JSONValue {
        ["id": id.json, "name": name.json, "role": role.json, "self": isSelf.json]
    }
}
