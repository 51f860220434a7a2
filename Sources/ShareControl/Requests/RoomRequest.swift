package import JSON

/// The body of `POST /v1/use` and `POST /v1/leave`.
package struct RoomRequest: JSONConvertible {
    /// A name or an id.
    package var room: String

    package init(room: String) {
        self.room = room
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
    }

    package var json: JSONValue {
        ["room": room.json]
    }
}
