import ShareCore

/// A log of which others are told up to its cutoff only, and what that was worked out from.
struct CountedLog {
    let heads: [LogHead]
    let cut: [LogHead]
    /// Nil where nothing of it counts.
    let state: LogState?
}
