/// Why an invite answers nobody new any more.
package enum InviteEnd: Hashable, Sendable {
    /// It has admitted as many keys as it may. Those it goes on answering until it expires.
    case usedUp
    case wrongCodes
    case withdrawn
    case expired
}
