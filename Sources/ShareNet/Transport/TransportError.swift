/// Why the transport did not do what it was asked.
package enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not an address, or the name is not known; the library's words.
    case badAddress(String)
    /// Another process, or another listener, has the address.
    case addressInUse(String)
    /// A system call failed; what was being done and the system's words.
    case system(String)
    /// No connection came about: nobody there, refused, not the expected protocol.
    case unreachable(String)
    /// The deadline passed.
    case timedOut
    /// The frame is longer than any peer accepts.
    case frameTooLong(count: Int, limit: Int)
    /// The connection is over.
    case closed(CloseReason)
    /// Too many name look-ups are under way.
    case busy
    /// The calling task was cancelled.
    case cancelled
    /// The transport was stopped.
    case stopped

    package var description: String {
        switch self {
        case .badAddress(let text): text
        case .addressInUse(let text): "\(text) is in use"
        case .system(let text): text
        case .unreachable(let text): text
        case .timedOut: "timed out"
        case .frameTooLong(let count, let limit):
            "a frame of \(count) bytes, \(limit) are allowed"
        case .closed(let reason): reason.description
        case .busy: "too many names are being looked up"
        case .cancelled: "cancelled"
        case .stopped: "the transport was stopped"
        }
    }
}
