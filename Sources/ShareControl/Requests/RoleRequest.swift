/// The body of `POST /v1/role`.
package struct RoleRequest: JSONConvertible {
    /// A device's id, or the start of it.
    package var device: String
    package var role: String

    package init(device: String, role: String) {
        self.device = device
        self.role = role
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        role = try object.get("role")
    }

    package var json: JSONValue {
        ["device": device.json, "role": role.json]
    }
}
