package import JSON

/// The body of `POST /v1/join`.
package struct JoinRequest: JSONConvertible {
    /// A name or an id.
    package var room: String
    package var code: String?
    /// `HOST:PORT`, where the device may be that made the code; as a link says.
    package var at: [String]

    package init(room: String, code: String? = nil, at: [String] = []) {
        self.room = room
        self.code = code
        self.at = at
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        code = try object.find("code")
        at = try object.find("at") ?? []
    }

    package var json: JSONValue {
        ["room": room.json, "code": code.json, "at": at.json]
    }
}
