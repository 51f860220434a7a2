package import ShareCore
package import ShareCrypto

/// The details of one record beside its values.
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
    /// The last change of it, reviews and comments aside; nil where there was none.
    package let change: Remark?
    /// The review that counts.
    package let review: Remark?
    /// Whether it was changed by somebody who had not seen that review, or that the review had not
    /// seen.
    package let isChangedSinceReview: Bool
    /// Oldest first; of more than `maxComments` the latest.
    package let comments: [Remark]
    package let conflicts: [RecordConflict]
    package let parallel: ParallelUpdate?

    /// Somebody may write any number of them.
    package static let maxComments = 1_000
}

/// A field with a value.
package struct RecordEntry: Hashable, Sendable {
    package let field: FormField
    package let value: FieldValue
}

/// One operation on a record, as people look at it.
package struct RecordHistory: Sendable {
    package struct Change: Hashable, Sendable {
        package let field: FormField
        package let before: FieldValue
        package let after: FieldValue

        package init(field: FormField, before: FieldValue, after: FieldValue) {
            self.field = field
            self.before = before
            self.after = after
        }
    }

    /// A stand-in while it is not sealed, which no other operation bears.
    package let version: OperationName
    package let isPending: Bool
    package let kind: RecordsBlock.Kind
    package let author: DeviceKey
    /// Milliseconds since 1970 by the author's clock.
    package let at: Int64
    /// The changes to the values that its author had before it, ascending by field.
    package let changes: [Change]
    /// The values that an edit wrote as they were, and so resolved: all its author had seen ends
    /// there.
    package let kept: [RecordEntry]
    /// Whether the record was deleted before and after; nil if it says nothing of that.
    package let deletion: (before: Bool, after: Bool)?
    /// The review's state before and after; nil if it is no review.
    package let review: (before: String?, after: String?)?
    /// A review's note, or a comment.
    package let note: String?
    /// The versions that its author had before it and that count.
    package let parents: [OperationName]
    /// Versions that had not seen this one and that it had not seen: the first `maxParallel`.
    package let parallel: [OperationName]
    /// Whether no version is based on it.
    package let isHead: Bool
    /// Whether its batch has been read again, bears its author's signature and says just this,
    /// and its author may do so by the room's logs.
    package let isVerified: Bool
    /// The definition of the form that its author had; nil where that could not be verified.
    package let asked: FormDefinition?
    /// Why the room's rules do not allow it; nil if they do.
    package let refusal: Refusal?

    /// Somebody may make any number of versions beside each other; what is told stays readable.
    package static let maxParallel = 64
}

extension RecordHistory {
    /// The one version of an entry that is withheld: as it stands, with what was changed in it.
    init(withheld row: RecordRow, of form: FormInfo) {
        self.init(
            version: OperationName(batch: .open(0), index: 0), isPending: true, kind: .put,
            author: row.name.creator, at: row.updated,
            changes: zip(form.columns, row.values).compactMap { column, value in
                value == .absent
                    ? nil : Change(field: column.field, before: .absent, after: value)
            }.sorted { $0.field < $1.field }, kept: [], deletion: nil, review: nil, note: nil,
            parents: [], parallel: [], isHead: true, isVerified: false, asked: nil, refusal: .role)
    }
}
