import ShareCore

/// A version of a record as the side table keeps it.
struct StoredVersion {
    let local: LocalName
    let version: RecordVersion
    let kind: RecordsBlock.Kind
    /// Made here and not sealed.
    let isPending: Bool
    let content: VersionContent

    /// The value of one field; nil if the version does not write it.
    func value(of field: FormField) -> FieldValue? {
        content.values.first { $0.field == field }?.value
    }

    /// What the version says of something that records have; one that does not write it says
    /// nothing.
    func said(of field: RecordField) -> FieldValue {
        switch field {
        case .field(let field): value(of: field) ?? .absent
        case .deleted:
            switch kind {
            case .delete: .integer(1)
            case .restore: .integer(0)
            case .put, .edit, .review, .comment: .absent
            }
        case .reviewState: content.state.map { .text($0) } ?? .absent
        }
    }
}
