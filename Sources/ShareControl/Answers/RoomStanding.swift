/// How a peer stands in one room.
package struct RoomStanding: Codable, Hashable, Sendable {
    /// The name of the room.
    package var room: String
    /// `identical`, `comparing`, `differs`, `unheard` (it has not told yet what it holds),
    /// `digest_differs`, or `not_connected`.
    package var state: String
    /// Operations that they lack; nil where that is not known. Of one that is not connected: what it
    /// lacked when it was connected last, and what was sealed here since; or what no other device
    /// is known to have.
    package var behind: Int?
    /// Operations that we lack; nil where that is not known. Of one that is not connected: when it
    /// was connected last.
    package var ahead: Int?

    package init(room: String, state: String, behind: Int? = nil, ahead: Int? = nil) {
        self.room = room
        self.state = state
        self.behind = behind
        self.ahead = ahead
    }
}
