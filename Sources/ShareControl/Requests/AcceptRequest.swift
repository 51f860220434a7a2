package import JSON

/// The body of `POST /v1/accept`.
package struct AcceptRequest: JSONConvertible {
    /// A device's id, or the start of it.
    package var device: String
    /// The room's recovery code, where that decides and not this device.
    package var recovery: String?

    package init(device: String, recovery: String? = nil) {
        self.device = device
        self.recovery = recovery
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        recovery = try object.find("recovery")
    }

    package var json: JSONValue { ["device": device.json, "recovery": recovery.json] }
}
