/// The verdict over one operation, alike on every device (docs/protocol.md, "Verdicts").
package enum Verdict: Hashable, Sendable {
    case accepted
    case waiting(Waiting)
    case refused(Refusal)

    /// The word that the room's file and the control API have for it.
    package var word: String {
        switch self {
        case .accepted: "accepted"
        case .waiting(let waiting): waiting.rawValue
        case .refused(let refusal): refusal.rawValue
        }
    }
}

/// The missing piece of an operation that cannot be judged yet (docs/protocol.md, "Verdicts").
package enum Waiting: String, CaseIterable, Hashable, Sendable {
    /// Nothing in force is about the author, or a predecessor of the batch is not held.
    case author
    /// The form definition is not held, or not accepted.
    case form
    /// Only a newer release knows operations of this kind.
    case kind
}

/// The reason why an operation does not count (docs/protocol.md, "Verdicts").
package enum Refusal: String, CaseIterable, Hashable, Sendable {
    /// The body of its batch breaks the rules.
    case malformed
    /// It stands in a log of the other kind.
    case misplaced
    /// An operation in force removes the author, and none of its heads covers the batch.
    case removed
    /// No grant of the author reaches the batch.
    case beforeGrant = "before grant"
    /// The log has too many heads, and nobody else has named one that covers the batch.
    case forked
    /// The author's role does not allow it.
    case role
    /// The author is bound to a scope, and the operation lies outside.
    case scope
    /// With it its author's log comes to more than the room's quota.
    case quota
    /// A founding anywhere but at the start of the founding batch.
    case founding
    /// It lowers a device that was owner before its author, or is about the recovery key.
    case outranked
    /// A grant to its author, or an acceptance of what its author wrote.
    case itself
    /// Its author wrote after it what counts already.
    case late
    /// As many operations about the device as can be are in force already.
    case tooMany = "too many"
    /// The form definition is unsound.
    case definition
    /// A value is not of its field's type.
    case type
    /// The form that it waits for is refused here. No verdict of the protocol: a word for people.
    case formRefused = "form refused"
}
