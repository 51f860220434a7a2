/// The body of `POST /v1/accept`.
package struct AcceptRequest: JSONConvertible {
    /// A device's id, or the start of it.
    package var device: String

    package init(device: String) {
        self.device = device
    }

    package init(json: JSONValue) throws(JSONError) {
        device = try json.members().get("device")
    }

    package var json: JSONValue { ["device": device.json] }
}
