package import JSON

/// A peer that refused operations of ours.
package struct RefusingPeer: JSONConvertible {
    package var id: String
    package var name: String
    package var refused: Int
    package var reason: String

    package init(id: String, name: String, refused: Int, reason: String) {
        self.id = id
        self.name = name
        self.refused = refused
        self.reason = reason
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        refused = try object.get("refused")
        reason = try object.get("reason")
    }

    package var json: JSONValue {
        ["id": id.json, "name": name.json, "refused": refused.json, "reason": reason.json]
    }
}
