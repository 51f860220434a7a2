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

    /// Whether two versions that write a field write the same.
    func says(the field: RecordField, as other: StoredVersion) -> Bool {
        switch field {
        case .field(let field): value(of: field) == other.value(of: field)
        case .deleted: kind == other.kind
        case .reviewState: content.state == other.content.state
        }
    }
}
