package import JSON

/// The body of `POST /v1/role`.
package struct RoleRequest: JSONConvertible {
    /// A device's id, or the start of it.
    package var device: String
    package var role: String

    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(device: String, role: String, recovery: String? = nil) {
        self.device = device
        self.role = role
        self.recovery = recovery
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        role = try object.get("role")
        recovery = try object.find("recovery")
    }

    package var json: JSONValue {
        ["device": device.json, "role": role.json, "recovery": recovery.json]
    }
}
