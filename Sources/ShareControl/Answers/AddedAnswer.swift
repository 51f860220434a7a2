package import JSON

/// The answer to `add`.
package struct AddedAnswer: JSONConvertible {
    package var id: String

    package init(id: String) {
        self.id = id
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
    }

    package var json: JSONValue {
        ["id": id.json]
    }
}
