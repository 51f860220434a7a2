/// What every device makes of one control operation (docs/protocol/authority.md §6).
package enum ControlVerdict: Hashable, Sendable {
    case accepted
    /// The author is unknown, or a predecessor of the batch is.
    case waitingForAuthor
    case refused(ControlRefusal)
}

/// Why a control operation does not count.
package enum ControlRefusal: Hashable, Sendable {
    case standing(StandingRefusal)
    /// The author had a role, but not one that may do this.
    case roleTooLow(Role)
    /// A founding anywhere but at the start of the founding batch.
    case notTheFounding
    /// A better-ranked owner would be lowered, and the author's own authority hangs on it, or
    /// fell with another such operation.
    case outranked
    /// The room would be left without an owner.
    case lastOwner
}
