package import JSON

/// The answer to `role`.
package struct RoleAnswer: JSONConvertible {
    package var device: NamedDevice
    package var room: NamedRoom
    package var role: String
    /// The role until now.
    package var before: String
    /// Members who say that they have stored it.
    package var heard: [NamedDevice]
    /// Members who have not: they go by the old role until they hear of it.
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, role: String, before: String, heard: [NamedDevice],
        notHeard: [NamedDevice]
    ) {
        self.device = device
        self.room = room
        self.role = role
        self.before = before
        self.heard = heard
        self.notHeard = notHeard
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        room = try object.get("room")
        role = try object.get("role")
        before = try object.get("before")
        heard = try object.get("heard")
        notHeard = try object.get("not_heard")
    }

    package var json: JSONValue {
        [
            "device": device.json, "room": room.json, "role": role.json, "before": before.json,
            "heard": heard.json, "not_heard": notHeard.json,
        ]
    }
}
