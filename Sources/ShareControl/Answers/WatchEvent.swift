/// One line of `watch`.
package struct WatchEvent: Codable, Hashable, Sendable {
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
}
