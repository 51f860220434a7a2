package import JSON

/// Whether devices nearby can be found.
package struct DiscoveryStatus: JSONConvertible {
    /// `running`, `starting`, `off` or `unavailable`.
    package var state: String
    package var hint: String?

    package init(state: String, hint: String? = nil) {
        self.state = state
        self.hint = hint
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        state = try object.get("state")
        hint = try object.find("hint")
    }

    package var json: JSONValue {
        ["state": state.json, "hint": hint.json]
    }
}
