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
