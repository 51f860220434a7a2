/// Why a CSV file, or a row of it, cannot be imported.
package struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1; the line where the row starts.
    package let line: Int
    /// The header of the column, where one cell is at fault.
    package let column: String?
    package let reason: String
    package let hint: String

    package init(line: Int, column: String?, reason: String, hint: String) {
        self.line = line
        self.column = column
        self.reason = reason
        self.hint = hint
    }

    /// Place and reason in one line.
    package var description: String {
        if let column { return "line \(line), column \(column): \(reason)" }
        return "line \(line): \(reason)"
    }
}
