/// Something decided about the room that a removal makes void.
package struct VoidAnswer: JSONConvertible {
    /// The kind of operation, such as `grant`, `role change` or `form`.
    package var what: String
    /// The device that it is about.
    package var device: NamedDevice?
    /// The role that it gives.
    package var role: String?
    /// The form or the setting that it is about.
    package var name: String?
    /// Whether the remover writes it again, in its own log.
    package var repeated: Bool

    package init(
        what: String, device: NamedDevice? = nil, role: String? = nil, name: String? = nil,
        repeated: Bool
    ) {
        self.what = what
        self.device = device
        self.role = role
        self.name = name
        self.repeated = repeated
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        what = try object.get("what")
        device = try object.find("device")
        role = try object.find("role")
        name = try object.find("name")
        repeated = try object.get("repeated")
    }

    package var json: JSONValue {
        [
            "what": what.json, "device": device.json, "role": role.json, "name": name.json,
            "repeated": repeated.json,
        ]
    }
}
