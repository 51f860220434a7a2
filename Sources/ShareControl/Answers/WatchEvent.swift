/// One line of `watch`.
package struct WatchEvent: JSONConvertible {
    /// A stable name, such as `received`.
    package var event: String
    /// RFC 3339, UTC.
    package var at: String
    /// The name of the room.
    package var room: String?
    package var peer: NamedDevice?
    /// Operations, entries or missed events, as the event says.
    package var count: Int?
    /// The same for people.
    package var text: String

    package init(
        event: String, at: String, room: String? = nil, peer: NamedDevice? = nil, count: Int? = nil,
        text: String
    ) {
        self.event = event
        self.at = at
        self.room = room
        self.peer = peer
        self.count = count
        self.text = text
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        event = try object.get("event")
        at = try object.get("at")
        room = try object.find("room")
        peer = try object.find("peer")
        count = try object.find("count")
        text = try object.get("text")
    }

    package var json: JSONValue {
        [
            "event": event.json, "at": at.json, "room": room.json, "peer": peer.json,
            "count": count.json, "text": text.json,
        ]
    }
}
