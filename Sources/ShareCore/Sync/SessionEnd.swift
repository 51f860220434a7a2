/// Why this device ends a session.
package enum SessionEnd: Hashable, Sendable {
    /// No hello, or no proof of membership, in time.
    case tooSlow
    /// No sign of life.
    case silent
    /// Another version of the protocol.
    case version(UInt64)
    /// A message where it may not stand.
    case unexpectedMessage
    /// More than a stranger may send.
    case tooMuch
    /// The same device is connected otherwise.
    case replaced
    /// It is this very process.
    case ownSelf
    /// Too many that have not shown that they are members.
    case crowded
    /// One of the two was removed from every room that both know, and knows it.
    case removed
}
