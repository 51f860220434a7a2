package import ShareCore
package import ShareCrypto

/// Operations that have no effect: the room's rules do not allow them, or their form.
package struct RefusedOperation: Hashable, Sendable {
    package let author: DeviceKey
    package let log: LogKind
    /// The batch that holds it; nil while it is not sealed.
    package let batch: LogHead?
    /// The kind of operation, or the field whose value does not fit.
    package internal(set) var what: String
    package let refusal: Refusal
    /// How many operations of one block.
    package let count: Int
    /// The form, where that is known.
    package internal(set) var form: String?
    /// The record that the first of them is about, and when that one was made, by its author's
    /// clock.
    package internal(set) var record: RecordID?
    package internal(set) var clock: Timestamp?
    /// Whether it would count if an owner accepted what its author wrote.
    package internal(set) var isAcceptable = false
    /// The device that a decision is about.
    package internal(set) var subject: DeviceKey?
}
