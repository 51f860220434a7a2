package import ShareCrypto

/// A room that both ends of a session know.
package struct RoomLink: Sendable {
    /// Whether the peer is a member as far as this device knows, so that records may flow.
    package internal(set) var isOpen = false
    /// How far the peer's logs go, as it told and as batches and acknowledgements showed.
    package internal(set) var peerLogs: [LogName: LogState] = [:]
    /// What the peer's room came to when it last said so.
    package internal(set) var peerState: (vector: Digest, digest: Digest)?
    /// Whether the way to this device's own grant has been shown.
    var hasShownPath = false
    var hasTold = false
    var hasHeard = false
    /// Whether the peer is a member and has told how far its logs go.
    package var hasToldUs: Bool { isOpen && hasHeard }
    var lastTold: Duration = .zero
    var lastState: Digest?
    /// Wants that wait for their end, and when something last came of each.
    var asked: [LogName: Duration] = [:]
    /// Heads of the peer that this device has looked up and holds.
    var held: Set<BatchID> = []
    var checking: Set<LogName> = []
}
