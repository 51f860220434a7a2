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
    /// The peer took the connection and ended it before anything was said, as one does that has no
    /// descriptors left.
    case turnedAway(String)
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
        case .unreachable(let text), .turnedAway(let text): text
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

extension TransportError {
    /// The description, without the address that it may begin with.
    package func description(at endpoint: Endpoint) -> String {
        let lead = "\(endpoint.text): "
        return description.hasPrefix(lead)
            ? String(description.dropFirst(lead.count)) : description
    }
}

/// Why a connection is over.
package enum CloseReason: Equatable, Sendable, CustomStringConvertible {
    /// This side closed it, and why.
    case local(String)
    /// The peer closed it, between two frames.
    case peer
    /// It broke: reset, cut off within a frame, no route.
    case lost(String)
    /// The peer announced a frame above the limit in force.
    case frameTooLong(announced: Int, limit: Int)
    /// TLS failed, in the library's words.
    case tls(String)
    /// The peer did nothing for too long; what it was expected to do.
    case timedOut(String)
    /// It was unproven, and newer ones took its place.
    case crowdedOut

    package var description: String {
        switch self {
        case .local(let why): "closed here: \(why)"
        case .peer: "closed by the peer"
        case .lost(let why): "connection lost: \(why)"
        case .frameTooLong(let announced, let limit):
            "the peer announced a frame of \(announced) bytes, \(limit) are allowed"
        case .tls(let why): why
        case .timedOut(let what): "timed out: \(what)"
        case .crowdedOut: "too many unproven connections"
        }
    }
}
