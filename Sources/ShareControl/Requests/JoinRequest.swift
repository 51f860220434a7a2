/// The body of `POST /v1/join`.
package struct JoinRequest: JSONConvertible {
    /// A name or an id.
    package var room: String
    package var code: String?

    package init(room: String, code: String? = nil) {
        self.room = room
        self.code = code
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        code = try object.find("code")
    }

    package var json: JSONValue {
        ["room": room.json, "code": code.json]
    }
}
