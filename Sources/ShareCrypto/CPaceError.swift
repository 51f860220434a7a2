/// Why a run of CPace ends without a key.
package enum CPaceError: Error, Hashable, Sendable {
    /// What came is no encoding of a group element, or leads to the neutral element: the peer
    /// does not follow the protocol.
    case invalidElement
}
