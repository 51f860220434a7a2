package import JSON

/// The body of `POST /v1/rooms`.
package struct CreateRequest: JSONConvertible {
    package var room: String
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool

    package init(room: String, isOpen: Bool = false, isHidden: Bool = false) {
        self.room = room
        self.isOpen = isOpen
        self.isHidden = isHidden
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        isOpen = try object.find("open") ?? false
        isHidden = try object.find("hidden") ?? false
    }

    package var json: JSONValue {
        ["room": room.json, "open": isOpen.json, "hidden": isHidden.json]
    }
}
