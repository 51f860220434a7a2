package import ShareCore
package import ShareCrypto

/// A record that was changed on several sides that had not seen each other, all of which stands.
/// It is one until somebody changes what it shows.
package struct ParallelUpdate: Sendable {
    /// What one side did.
    package struct Branch: Sendable {
        /// Its last version; nil while that is not sealed.
        package let version: OperationName?
        /// Who wrote the last version.
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
