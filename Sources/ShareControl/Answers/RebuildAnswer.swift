/// The result of `rebuild`.
package struct RebuildAnswer: Codable, Hashable, Sendable {
    package var batches: Int
    package var records: Int
    package var digest: String
    /// Whether the tables are other than they were, or the file had to be made anew.
    package var changed: Bool
    /// Where the file is kept as it was, if something in it could not be read; nil if not.
    package var kept: String?

    package init(
        batches: Int, records: Int, digest: String, changed: Bool, kept: String? = nil
    ) {
        self.batches = batches
        self.records = records
        self.digest = digest
        self.changed = changed
        self.kept = kept
    }
}
