/// What every device makes of one control operation (docs/protocol/authority.md §4).
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
    /// It lowers a device that was owner before its author, or concerns the recovery key.
    case outranked
    /// Nobody grants itself a role, or accepts what it wrote itself.
    case ofItself
    /// What its author wrote after it counts already.
    case late
    /// As many operations about the device as can be are in force already.
    case tooMany
}
