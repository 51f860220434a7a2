package import JSON

/// The answer to `use`: the room that it was about.
package struct RoomChangedAnswer: JSONConvertible {
    package var room: NamedRoom

    package init(room: NamedRoom) {
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
