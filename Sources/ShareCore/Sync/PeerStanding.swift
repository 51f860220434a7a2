/// How a connected peer's copy of a room and this device's stand to each other, as far as the
/// peer has told (docs/protocol.md, "Standing").
package struct PeerStanding: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// The peer has not told yet what it holds.
        case unheard
        /// The same batches and, where both may hold all of them, the same state made of them.
        case identical
        /// The same batches; what the peer made of them has not been told yet.
        case comparing
        /// One of the two lacks something.
        case differing
        /// The same batches and another state: a fault of one of the two.
        case digestDiffers
    }

    package let state: State
    /// Operations that the peer lacks.
    package let behind: UInt64
    /// Operations that this device lacks, by the peer's own count.
    package let ahead: UInt64

    package init(_ state: State, behind: UInt64 = 0, ahead: UInt64 = 0) {
        self.state = state
        self.behind = behind
        self.ahead = ahead
    }
}
