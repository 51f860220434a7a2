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
        /// The values that an edit beside a delete wrote, ascending by field; else empty.
        package let changes: [RecordEntry]
    }

    package let record: RecordName
    package let field: RecordField
    /// Whose value shows, on every device.
    package let winner: Side
    /// Greatest first; of more than 64 only these, as many as one operation can resolve.
    package let losers: [Side]
}

/// A record that was changed on several sides that had not seen each other, all of which stands.
/// It is one until somebody changes what it shows.
package struct ParallelUpdate: Sendable {
    /// The changes of one side.
    package struct Branch: Sendable {
        /// Its last version; nil while that is not sealed.
        package let version: OperationName?
        /// The author of the last version.
        package let author: DeviceKey
        /// Milliseconds since 1970 by the author's clock.
        package let at: Int64
        /// Ascending by field.
        package let changes: [RecordEntry]
        /// Whether it deleted or restored the record; nil if neither.
        package let isDeleted: Bool?
        /// The state that a review gave.
        package let state: String?
    }

    package let record: RecordName
    /// Oldest first; of more than 64 the latest.
    package let branches: [Branch]
}

/// Some of a longer list, in an order that is the same on every device.
package struct RecordPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Whether the list goes on after the last record of this page.
    package let hasMore: Bool
}
