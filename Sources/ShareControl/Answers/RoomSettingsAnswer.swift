package import JSON

/// What a room's owners have set for all its members.
package struct RoomSettingsAnswer: JSONConvertible {
    package var room: NamedRoom
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool

    package init(room: NamedRoom, isOpen: Bool, isHidden: Bool) {
        self.room = room
        self.isOpen = isOpen
        self.isHidden = isHidden
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        isOpen = try object.get("open")
        isHidden = try object.get("hidden")
    }

    package var json: JSONValue {
        ["room": room.json, "open": isOpen.json, "hidden": isHidden.json]
    }
}
