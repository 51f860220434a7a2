package import ShareCore
package import ShareCrypto

/// One version of a record, as people look at it.
package struct RecordHistory: Sendable {
    package struct Change: Hashable, Sendable {
        package let field: String
        package let before: FieldValue
        package let after: FieldValue
    }

    /// Nil while it is not sealed.
    package let version: OperationName?
    package let kind: RecordsBlock.Kind
    package let author: DeviceKey
    /// Milliseconds since 1970 by the author's clock.
    package let at: Int64
    package let changes: [Change]
    /// A review's state.
    package let state: String?
    /// A review's note, or a comment.
    package let note: String?
}
