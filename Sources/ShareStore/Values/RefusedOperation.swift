package import ShareCore
package import ShareCrypto

/// Operations that the room's rules do not allow, and that therefore have no effect.
package struct RefusedOperation: Hashable, Sendable {
    package let author: DeviceKey
    package let log: LogKind
    /// The batch that holds it; nil while it is not sealed.
    package let batch: LogHead?
    /// The kind of operation, or the field whose value does not fit.
    package let what: String
    package let reason: String
    /// How many operations of one block.
    package let count: Int
}
