package import JSON

/// The answer to `edit` and `delete`.
package struct EditedAnswer: JSONConvertible {
    package var id: String
    /// The fields whose value is another now.
    package var changed: [String]

    package init(id: String, changed: [String]) {
        self.id = id
        self.changed = changed
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        changed = try object.get("changed")
    }

    package var json: JSONValue {
        ["id": id.json, "changed": changed.json]
    }
}
