package import JSON

/// A record that was reviewed, commented on or brought back.
package struct RemarkAnswer: JSONConvertible {
    package var id: String
    /// The review's state after it; null where there is none.
    package var state: String?

    package init(id: String, state: String? = nil) {
        self.id = id
        self.state = state
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        state = try object.find("state")
    }

    package var json: JSONValue { ["id": id.json, "state": state.json] }
}
