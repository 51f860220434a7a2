/// The answer to `import`: where `rejected` is not empty, nothing was written.
package struct ImportAnswer: Codable, Hashable, Sendable {
    package var added: Int
    package var updated: Int
    package var unchanged: Int
    /// At most `ControlLimits.rowErrors`.
    package var rejected: [RowError]
    /// All of them.
    package var rejectedCount: Int

    package init(
        added: Int, updated: Int, unchanged: Int, rejected: [RowError], rejectedCount: Int
    ) {
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.rejected = rejected
        self.rejectedCount = rejectedCount
    }
}
