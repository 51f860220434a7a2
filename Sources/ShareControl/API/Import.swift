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

/// One place in a file that could not be taken, and why.
package struct RowError: Codable, Hashable, Sendable {
    /// The line on which the row starts, counted from 1; the header is line 1.
    package var line: Int
    /// The name of the column; nil where the whole row is at fault.
    package var column: String?
    package var reason: String

    package init(line: Int, column: String?, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }
}
