package import ShareCore
package import ShareCrypto

/// A field of a record to which versions gave other values, of which neither had seen the other.
package struct RecordConflict: Sendable {
    package struct Side: Sendable {
        /// Nil while it is not sealed.
        package let version: OperationName?
        /// For `deleted` 1 or 0, absent for an edit beside a delete; for `reviewState` its text.
        package let value: FieldValue
        package let author: DeviceKey
        /// Milliseconds since 1970 by the author's clock.
        package let at: Int64
        /// What an edit beside a delete wrote, ascending by field; else empty.
        package let changes: [RecordEntry]
    }

    package let record: RecordName
    package let field: RecordField
    /// Whose value shows, on every device.
    package let winner: Side
    /// Greatest first; of more than 64 only these, as many as one operation can settle.
    package let losers: [Side]
}
