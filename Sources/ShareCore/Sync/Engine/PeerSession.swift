package import ShareCrypto

/// One connection as the synchronisation sees it.
package struct PeerSession: Sendable {
    package let id: SessionID
    package let peer: DeviceKey
    /// Whether this device dialled.
    package let isInitiator: Bool
    package let address: String
    /// The network that its address counts to where places are given: for IPv6 more than one.
    let network: String
    /// The TLS exporter that proofs are bound to.
    let exporter: Bytes32
    let openedAt: Duration
    package internal(set) var hello: WireMessage.Hello?
    var helloAt: Duration?
    /// The peer's proofs that it knows rooms, to be compared with each room of this device.
    var proofs: Set<Digest> = []
    package internal(set) var links: [RoomID: RoomLink] = [:]
    /// Whether there was a common room at any time: then each request and each batch is answered,
    /// also where this device has left the room meanwhile. The peer's window would stay full.
    var hasShared = false
    package internal(set) var lastReceived: Duration
    var lastSent: Duration
    /// When it was asked for a sign of life; nil once it has given one.
    var askedAt: Duration?
    /// Whether it was asked for a sign of life and has given none so far.
    package var isAsked: Bool { askedAt != nil }
    /// How often it was asked so, and how often it has answered: in the same order.
    package internal(set) var pings = 0
    package internal(set) var pongs = 0

    // What is being sent to the peer.
    var servings: [Serving] = []
    var lastServing: UInt64 = 0
    var isLoading = false
    var unacknowledged: [BatchID: Unacknowledged] = [:]
    var inFlight = 0
    /// Bytes of batches that the peer was sent and did not keep.
    var unkeptBytes = 0
    /// Bytes of batches that came and were not kept here.
    var turnedAwayBytes = 0
    var proofMessages = 0
    /// Bytes of batches that came while the peer was not known as a member.
    var unprovenBytes = 0
    /// Since when it is about rooms that one of the two was removed from.
    var partingSince: Duration?
    package internal(set) var isJoining = false
    var joinMessages = 0

    /// A batch that was sent, as often as it was sent, with its bytes as far as they count.
    struct Unacknowledged: Sendable {
        let log: LogName
        let head: LogHead
        var size: Int
        var copies: Int
    }

    /// A request of the peer, as far as it is not served yet.
    struct Serving: Sendable {
        /// Of this request alone in its session: what was loaded for an earlier one that was ended
        /// may arrive when this one waits.
        let number: UInt64
        let room: RoomID
        let log: LogName
        var after: [LogHead]
        var cursor: LogHead?
    }

    /// Takes in a request; it waits for those before it.
    mutating func append(servingOf log: LogName, in room: RoomID, after: [LogHead]) {
        lastServing += 1
        servings.append(
            Serving(number: lastServing, room: room, log: log, after: after, cursor: nil))
    }

    /// Whether any common room counts both among its members.
    var isProven: Bool { links.values.contains { $0.isOpen && !$0.isControlOnly } }
}

/// An open room, as a member shows it to whoever asks (docs/protocol/joining.md §9).
package struct OpenOffer: Hashable, Sendable {
    package let welcome: JoinWelcome
    /// Whether the member may admit others, as an owner or an editor.
    package let admits: Bool

    /// The role of everybody who joins an open room.
    package static let role = Role.collector

    package init(room: RoomID, founding: [UInt8], name: String, admits: Bool) {
        welcome = JoinWelcome(room: room, founding: founding, name: name, role: OpenOffer.role)
        self.admits = admits
    }
}

/// A session with another device, numbered by whoever opens it; never used twice in a process.
package struct SessionID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// Why this device ends a session.
package enum SessionEnd: Hashable, Sendable {
    /// No hello, or no proof of membership, in time.
    case tooSlow
    /// No sign of life.
    case silent
    /// Another version of the protocol.
    case version(UInt64)
    /// A message where it may not stand.
    case unexpectedMessage
    /// More than a stranger may send.
    case tooMuch
    /// The same device is connected otherwise.
    case replaced
    /// It is this very process.
    case ownSelf
    /// Too many that have not shown that they are members.
    case crowded
    /// One of the two was removed from every room that both know, and knows it.
    case removed
}
