/// One device as `peers` shows it.
package struct PeerAnswer: Codable, Hashable, Sendable {
    /// Nil for an address where nobody has answered yet.
    package var id: String?
    package var name: String
    /// `connected`; `nearby`: it is announced, or was met within the last 20 s; `silent`: it is
    /// connected or announced, and does not answer; `known`.
    package var state: String
    /// HOST:PORT where it was last met.
    package var address: String?
    /// Names of the rooms we have in common, or that it announces.
    package var rooms: [String]
    /// Whether it is in none of this device's rooms, as far as is known.
    package var isStranger: Bool
    /// Whether it holds all that we hold and nothing else.
    package var identical: Bool
    /// Operations that they lack; nil where that is not known. Of one that is not connected: what it
    /// lacked when it was connected last, and what was sealed here since; or what no other device
    /// is known to have.
    package var behind: Int?
    /// Operations that we lack; nil where that is not known. Of one that is not connected: when it
    /// was connected last.
    package var ahead: Int?
    /// Operations that it has made and not sent, by its own last word; nil where it has not said.
    package var unsent: Int?
    /// How it stands in each room of which it is known.
    package var progress: [RoomProgress]
    /// When it began to be announced as it is now: RFC 3339, UTC; nil where it was so already when the
    /// daemon started.
    package var lastSeen: String?
    /// When it was spoken with last: RFC 3339, UTC.
    package var lastMet: String?
    /// Seconds by which its clock is ahead of ours.
    package var clockSkew: Int?
    /// A note for people, such as why it is not connected.
    package var note: String?

    package init(
        id: String? = nil, name: String, state: String, address: String? = nil, rooms: [String],
        isStranger: Bool = false, identical: Bool, behind: Int? = nil, ahead: Int? = nil,
        unsent: Int? = nil,
        progress: [RoomProgress] = [], lastSeen: String? = nil, lastMet: String? = nil,
        clockSkew: Int? = nil, note: String? = nil
    ) {
        self.id = id
        self.name = name
        self.state = state
        self.address = address
        self.rooms = rooms
        self.isStranger = isStranger
        self.identical = identical
        self.behind = behind
        self.ahead = ahead
        self.unsent = unsent
        self.progress = progress
        self.lastSeen = lastSeen
        self.lastMet = lastMet
        self.clockSkew = clockSkew
        self.note = note
    }
}

/// How a peer stands in one room.
package struct RoomProgress: Codable, Hashable, Sendable {
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

/// How many peers are nearby, connected, and identical with this device.
package struct PeerCounts: Codable, Hashable, Sendable {
    /// In reach, the connected ones included.
    package var nearby: Int
    package var connected: Int
    package var identical: Int
    /// The connected ones that are not identical.
    package var differing: [PeerDifference]

    package init(nearby: Int, connected: Int, identical: Int, differing: [PeerDifference]) {
        self.nearby = nearby
        self.connected = connected
        self.identical = identical
        self.differing = differing
    }
}

/// How far a connected peer and this device are apart.
package struct PeerDifference: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    /// Operations that they lack.
    package var behind: Int
    /// Operations that we lack.
    package var ahead: Int
    /// Whether the merged states differ although both hold the same batches.
    package var digestDiffers: Bool
    /// Whether it has not told yet what it holds.
    package var isUnheard: Bool

    package init(
        id: String, name: String, behind: Int, ahead: Int, digestDiffers: Bool,
        isUnheard: Bool = false
    ) {
        self.isUnheard = isUnheard
        self.id = id
        self.name = name
        self.behind = behind
        self.ahead = ahead
        self.digestDiffers = digestDiffers
    }
}
