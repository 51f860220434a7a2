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
}
