package import JSON

/// One line of `watch`.
package struct WatchEvent: JSONConvertible {
    /// A stable name, such as `received`.
    package var event: String
    /// RFC 3339, UTC; empty until it is told.
    package var at: String
    /// The name of the room.
    package var room: String?
    /// The other device that it is about, or who did it.
    package var peer: NamedDevice?
    package var form: String?
    /// A record's id.
    package var record: String?
    /// Fields that were changed, or are in conflict.
    package var fields: [String]?
    /// Operations, entries or missed events, as the event says.
    package var count: Int?
    /// Why something was refused.
    package var reason: String?
    /// The same for people.
    package var text: String

    package init(
        event: String, at: String = "", room: String? = nil, peer: NamedDevice? = nil,
        form: String? = nil, record: String? = nil, fields: [String]? = nil, count: Int? = nil,
        reason: String? = nil, text: String
    ) {
        self.event = event
        self.at = at
        self.room = room
        self.peer = peer
        self.form = form
        self.record = record
        self.fields = fields
        self.count = count
        self.reason = reason
        self.text = text
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        event = try object.get("event")
        at = try object.get("at")
        room = try object.find("room")
        peer = try object.find("peer")
        form = try object.find("form")
        record = try object.find("record")
        fields = try object.find("fields")
        count = try object.find("count")
        reason = try object.find("reason")
        text = try object.get("text")
    }

    package var json: JSONValue {
        [
            "event": event.json, "at": at.json, "room": room.json, "peer": peer.json,
            "form": form.json, "record": record.json, "fields": fields.json, "count": count.json,
            "reason": reason.json, "text": text.json,
        ]
    }
}
