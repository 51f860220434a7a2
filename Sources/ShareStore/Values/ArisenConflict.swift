package import ShareCore

/// A conflict that a merge has brought about.
package struct ArisenConflict: Hashable, Sendable {
    package let record: RecordName
    /// Ascending.
    package let fields: [RecordField]
}
