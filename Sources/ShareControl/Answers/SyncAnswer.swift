/// The answer to `sync`.
package struct SyncAnswer: Codable, Hashable, Sendable {
    /// Whether every connected peer that has told what it holds is identical with this device,
    /// there is one, and none went before it was.
    package var identical: Bool
    /// `nothing_new`: identical from the beginning. `done`: identical now. `interrupted`: the time
    /// was up, or a peer went, with something missing. `digest_differs`: the same entries, another
    /// state.
    package var outcome: String
    /// Operations of others that came in meanwhile.
    package var received: Int
    /// Operations that this device is known to lack still.
    package var missing: Int
    /// The connected ones, and those that went meanwhile.
    package var peers: [SyncPeer]

    package init(
        identical: Bool, outcome: String, received: Int, missing: Int, peers: [SyncPeer]
    ) {
        self.identical = identical
        self.outcome = outcome
        self.received = received
        self.missing = missing
        self.peers = peers
    }
}
