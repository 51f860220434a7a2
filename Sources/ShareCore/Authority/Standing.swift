/// What a device may do at one batch of one of its logs (docs/protocol/authority.md §3).
package enum Standing: Hashable, Sendable {
    /// No operation in force concerns the device: what it wrote waits for its grant.
    case unknown
    case member(Role)
    /// `removed`, `beforeGrant` or `forked`.
    case refused(Refusal)

    package var role: Role? {
        if case .member(let role) = self { role } else { nil }
    }
}
