package import ShareCore

/// A log in which its author has written more than one batch at one place.
package struct LogFork: Hashable, Sendable {
    package let log: LogName
    /// The first places that are taken twice, at most `mostPlaces`.
    package let numbers: [UInt64]
    /// Its branches as far as they are held.
    package let branches: Int
    /// Whether nothing of the log counts but what owners accept.
    package let isRefused: Bool

    package static let mostPlaces = 16
}
