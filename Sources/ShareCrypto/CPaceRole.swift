/// The two sides of CPace in its initiator–responder form.
package enum CPaceRole: Hashable, Sendable, CaseIterable {
    /// Party A, whose share is sent first.
    case initiator
    /// Party B.
    case responder

    package var other: CPaceRole { self == .initiator ? .responder : .initiator }
}
