package import JSON

/// The body of `PUT /v1/settings/autopush`.
package struct AutopushRequest: JSONConvertible {
    package var autopush: Bool

    package init(autopush: Bool) {
        self.autopush = autopush
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        autopush = try object.get("autopush")
    }

    package var json: JSONValue {
        ["autopush": autopush.json]
    }
}
