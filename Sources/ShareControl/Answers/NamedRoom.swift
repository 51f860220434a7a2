package import JSON

/// A room by its name and its id.
package struct NamedRoom: JSONConvertible {
    package var name: String
    /// `room:` and 52 characters.
    package var id: String

    package init(name: String, id: String) {
        self.name = name
        self.id = id
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        name = try object.get("name")
        id = try object.get("id")
    }

    package var json: JSONValue {
        ["name": name.json, "id": id.json]
    }
}
