package import JSON

/// One check of `doctor`.
package struct DoctorCheck: JSONConvertible {
    package var name: String
    /// `ok`, `warning`, `failed` or `skipped`.
    package var state: String
    package var detail: String
    package var hint: String?

    package init(name: String, state: String, detail: String, hint: String? = nil) {
        self.name = name
        self.state = state
        self.detail = detail
        self.hint = hint
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        name = try object.get("name")
        state = try object.get("state")
        detail = try object.get("detail")
        hint = try object.find("hint")
    }

    package var json: JSONValue {
        ["name": name.json, "state": state.json, "detail": detail.json, "hint": hint.json]
    }
}
