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
