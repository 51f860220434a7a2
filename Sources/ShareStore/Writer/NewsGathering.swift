import ShareCore

/// What a transaction gathers to be told at its end.
struct NewsGathering {
    /// Batches that were stored and judged.
    var stored: [(held: HeldBatch, body: Body?)] = []
    var trace = ConflictTrace()
}
