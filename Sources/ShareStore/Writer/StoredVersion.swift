import ShareCore

/// A version of a record with all that is known of it.
struct StoredVersion {
    let local: LocalName
    let version: RecordVersion
    let kind: RecordsBlock.Kind
    /// Made here and not sealed.
    let isPending: Bool
    let content: VersionContent
}
