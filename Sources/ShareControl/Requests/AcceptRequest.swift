/// The body of `POST /v1/accept`.
package struct AcceptRequest: JSONConvertible {
    /// A device's id, or the start of it.
    package var device: String
    /// Whether what it decided counts as well: forms that it added, devices that it let in.
    package var decisions: Bool

    package init(device: String, decisions: Bool = false) {
        self.device = device
        self.decisions = decisions
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        decisions = try object.find("decisions") ?? false
    }

    package var json: JSONValue {
        ["device": device.json, "decisions": decisions.json]
    }
}
