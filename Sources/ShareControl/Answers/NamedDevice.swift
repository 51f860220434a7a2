package import JSON

/// A device by its id and by the name that people gave it.
package struct NamedDevice: JSONConvertible {
    /// `dev:` and 52 characters.
    package var id: String
    package var name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
    }

    package var json: JSONValue {
        ["id": id.json, "name": name.json]
    }
}
