/// One device as `peers` shows it.
package struct PeerAnswer: Codable, Hashable, Sendable {
    /// Nil for an address where nobody has answered yet.
    package var id: String?
    package var name: String
    /// `connected`, `nearby` or `known`.
    package var state: String
    /// HOST:PORT where it was last met.
    package var address: String?
    /// Names of the rooms we have in common, or that it announces.
    package var rooms: [String]
    /// Whether it holds all that we hold and nothing else.
    package var identical: Bool
    /// Operations that they lack; nil where that is not known. Of one that is not connected: what it
    /// lacked when it was connected last, and what was sealed here since; or what no other device
    /// is known to have.
    package var behind: Int?
    /// Operations that we lack; nil where that is not known. Of one that is not connected: when it
    /// was connected last.
    package var ahead: Int?
    /// The same for each room of which it is known.
    package var standings: [RoomStanding]
    /// RFC 3339, UTC.
    package var lastSeen: String?
    /// Seconds by which its clock is ahead of ours.
    package var clockSkew: Int?
    /// What people should know, such as why it is not connected.
    package var note: String?

    package init(
        id: String? = nil, name: String, state: String, address: String? = nil, rooms: [String],
        identical: Bool, behind: Int? = nil, ahead: Int? = nil, standings: [RoomStanding] = [],
        lastSeen: String? = nil, clockSkew: Int? = nil, note: String? = nil
    ) {
        self.id = id
        self.name = name
        self.state = state
        self.address = address
        self.rooms = rooms
        self.identical = identical
        self.behind = behind
        self.ahead = ahead
        self.standings = standings
        self.lastSeen = lastSeen
        self.clockSkew = clockSkew
        self.note = note
    }
}
