/// What a peer was asked for beyond a cut: as far as it had told by then, and no more than so much.
struct BeyondAsk: Sendable {
    /// The number of the last batch that it told of.
    let last: UInt64
    private(set) var bytes = SyncLimits.beyondBytes

    init(_ told: LogState) { last = told.number }

    /// Whether a batch is taken in. It has to come as the answer does, but whoever has the key of a
    /// removed device can make more of them at any time.
    mutating func takes(_ batch: Batch) -> Bool {
        guard batch.head.number <= last, batch.bytes.count <= bytes else { return false }
        bytes -= batch.bytes.count
        return true
    }
}
