/// Why no invite was made.
package enum InviteBookError: Error, Hashable, Sendable {
    /// `JoinLimits.liveInvites` are live.
    case tooMany
    /// The number of uses is not between 1 and `JoinLimits.usesPerInvite`.
    case uses
}
