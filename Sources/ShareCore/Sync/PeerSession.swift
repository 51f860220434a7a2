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
    /// What the peer has shown to know, to be compared with each room of this device.
    var proofs: Set<Digest> = []
    package internal(set) var links: [RoomID: RoomLink] = [:]
    /// Whether there was a common room at any time: then each request and each batch is answered,
    /// also where this device has left the room meanwhile. The peer's window would stay full.
    var hasShared = false
    var lastReceived: Duration
    var lastSent: Duration
    var pinged = false

    // What is being sent to the peer.
    var servings: [Serving] = []
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
    var isJoining = false
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
        let room: RoomID
        let log: LogName
        var after: [LogHead]
        var cursor: LogHead?
    }

    /// Whether any common room counts both among its members.
    var isProven: Bool { links.values.contains { $0.isOpen && !$0.isControlOnly } }
}
