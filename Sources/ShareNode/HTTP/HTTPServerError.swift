/// Why the control server did not start.
package enum HTTPServerError: Error, Sendable, Equatable {
    /// The library refused to start on this socket (errno, 0 if it left none).
    case notStarted(errno: Int32)
    case alreadyStarted
}
