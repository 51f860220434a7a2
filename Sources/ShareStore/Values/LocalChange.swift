package import ShareCore

/// What this device's user does to records.
package enum LocalChange: Sendable {
    case put(NewRows)
    /// Writes fields by their place in the definition; `.absent` clears one.
    case edit(RecordName, definition: OperationName, values: [FieldChange])
    case delete(RecordName)
    case restore(RecordName)
    case review(RecordName, state: String, note: String?)
    case comment(RecordName, text: String)

    /// The kind of operation that it becomes.
    package var kind: RecordsBlock.Kind {
        switch self {
        case .put: .put
        case .edit: .edit
        case .delete: .delete
        case .restore: .restore
        case .review: .review
        case .comment: .comment
        }
    }

    /// One field's new value.
    package struct FieldChange: Hashable, Sendable {
        package let field: Int
        package let value: FieldValue

        package init(field: Int, value: FieldValue) {
            self.field = field
            self.value = value
        }
    }
}
