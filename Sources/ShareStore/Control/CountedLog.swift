import ShareCore

/// A log of which others are told up to a line only, and what that was worked out from.
struct CountedLog {
    let heads: [LogHead]
    let cut: [LogHead]
    /// Nil where nothing of it counts.
    let state: LogState?
    /// How far what is held beyond the line goes; nil where nothing is.
    let beyond: LogState?
}
