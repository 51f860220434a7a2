package import JSON

/// Whether entries are pushed as they are made.
package struct AutopushAnswer: JSONConvertible {
    package var room: NamedRoom
    package var autopush: Bool

    package init(room: NamedRoom, autopush: Bool) {
        self.room = room
        self.autopush = autopush
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        autopush = try object.get("autopush")
    }

    package var json: JSONValue {
        ["room": room.json, "autopush": autopush.json]
    }
}
