package import ShareCore

/// A record as it stands in its form's table.
package struct RecordRow: Sendable {
    package let name: RecordName
    /// Milliseconds since 1970 by the clocks of those who wrote.
    package let created: Int64
    package let updated: Int64
    /// The review's state.
    package let state: String?
    /// One for each of the form's columns (`FormInfo.columns`).
    package let values: [FieldValue]
}
