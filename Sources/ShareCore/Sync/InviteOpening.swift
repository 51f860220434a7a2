/// What a selector leads to.
package enum InviteOpening: Hashable, Sendable {
    case invite(Invite)
    /// No such invite, or none that answers this device: the two cannot be told apart.
    case none
    /// Another exchange about this invite is running.
    case busy
}
