package import JSON

/// What a change of identity is to one room.
package struct IdentityRoom: JSONConvertible {
    package var room: NamedRoom
    /// The role of the new identity; nil where it has to be invited.
    package var role: String?
    /// The role of the old one, which it keeps.
    package var formerRole: String?
    /// Members that do not hold all that the old identity has written.
    package var missing: [NamedDevice]

    package init(
        room: NamedRoom, role: String?, formerRole: String?, missing: [NamedDevice] = []
    ) {
        self.room = room
        self.role = role
        self.formerRole = formerRole
        self.missing = missing
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        role = try object.find("role")
        formerRole = try object.find("former_role")
        missing = try object.get("missing")
    }

    package var json: JSONValue {
        [
            "room": room.json, "role": role.json, "former_role": formerRole.json,
            "missing": missing.json,
        ]
    }
}
