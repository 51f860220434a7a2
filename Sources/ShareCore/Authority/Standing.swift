/// What a device may do at one batch of one of its logs (docs/protocol/authority.md §3).
package enum Standing: Hashable, Sendable {
    /// No operation in force concerns the device: what it wrote waits for its grant.
    case unknown
    case member(Role)
    case refused(StandingRefusal)

    package var role: Role? {
        if case .member(let role) = self { role } else { nil }
    }
}

/// Why a batch of a known device does not count.
package enum StandingRefusal: Hashable, Sendable {
    /// The removal that does not cover it.
    case removed(OperationName)
    /// No grant reaches it.
    case beforeGrant
    /// Its log has too many heads, and no owner has named one that covers it.
    case tooManyHeads
}
