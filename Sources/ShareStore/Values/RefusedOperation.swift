package import ShareCrypto

/// Operations that the room's rules do not allow, and that therefore have no effect.
package struct RefusedOperation: Hashable, Sendable {
    package let author: DeviceKey
    /// The kind of operation, or the field whose value does not fit.
    package let what: String
    package let reason: String
    /// How many operations of one block.
    package let count: Int
}
