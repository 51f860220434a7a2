package import JSON

/// What a reviewer finds of a record.
package struct ReviewRequest: JSONConvertible {
    /// One of `ReviewState`.
    package var state: String
    package var comment: String?

    package init(state: String, comment: String? = nil) {
        self.state = state
        self.comment = comment
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        state = try object.get("state")
        comment = try object.find("comment")
    }

    package var json: JSONValue { ["state": state.json, "comment": comment.json] }
}
