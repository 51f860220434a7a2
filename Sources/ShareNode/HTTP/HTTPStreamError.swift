/// Why a body ended before its end.
package enum HTTPStreamError: Error, Sendable, Equatable {
    /// The other side closed the connection, or has been silent for too long.
    case clientGone
    /// The daemon is about to stop.
    case stopping
}
