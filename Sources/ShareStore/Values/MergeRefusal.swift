package import ShareCore
package import ShareCrypto

/// What of a merge the room's rules do not allow, counted for each reason.
package struct MergeRefusal: Hashable, Sendable {
    package let author: DeviceKey
    /// The kind of operation, or the field whose value does not fit.
    package let what: String
    package let refusal: Refusal
    package let count: Int
}
