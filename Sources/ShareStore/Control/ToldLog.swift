import ShareCore

/// A log with more branches than others are told of, and what that was worked out from.
struct ToldLog {
    let heads: [LogHead]
    let named: Set<LogHead>
    let state: LogState
}
