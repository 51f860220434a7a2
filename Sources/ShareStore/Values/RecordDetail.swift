package import ShareCore
package import ShareCrypto

/// What there is to say of one record beside its values.
package struct RecordDetail: Sendable {
    /// A review or a comment.
    package struct Remark: Sendable {
        package let author: DeviceKey
        /// Milliseconds since 1970 by the author's clock.
        package let at: Int64
        /// A review's state.
        package let state: String?
        package let text: String?
    }

    package let name: RecordName
    package let form: FormInfo
    package let isDeleted: Bool
    /// One for each of the form's columns, also of a deleted record.
    package let values: [FieldValue]
    /// The review that counts.
    package let review: Remark?
    /// Oldest first; of more than `maxComments` the latest.
    package let comments: [Remark]
    package let conflicts: [RecordConflict]
    package let parallel: ParallelUpdate?

    /// Somebody may write any number of them.
    package static let maxComments = 1_000
}
