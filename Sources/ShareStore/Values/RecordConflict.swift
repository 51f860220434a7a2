package import ShareCore
package import ShareCrypto

/// A field of a record that was written in parallel.
package struct RecordConflict: Sendable {
    package struct Side: Sendable {
        package let value: FieldValue
        package let author: DeviceKey
        /// Milliseconds since 1970 by the author's clock.
        package let at: Int64
    }

    package let record: RecordName
    /// `_deleted` for a delete and an edit that had not seen each other.
    package let field: String
    package let winner: Side
    package let losers: [Side]
}
