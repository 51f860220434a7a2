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
    /// It would take back what goes before it, and its author's own authority hangs on that, or
    /// fell to another such operation.
    case outranked
    /// As many operations about the device as can be are in force already.
    case tooMany
    /// The room would be left without an owner.
    case lastOwner
}
