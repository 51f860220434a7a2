/// The body of `POST /v1/rooms`.
package struct CreateRequest: JSONConvertible {
    package var room: String
    package var isOpen: Bool

    package init(room: String, isOpen: Bool) {
        self.room = room
        self.isOpen = isOpen
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        isOpen = try object.get("open")
    }

    package var json: JSONValue {
        ["room": room.json, "open": isOpen.json]
    }
}
