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

/// Problems of a file in the order in which they were found: the first of them, and how many there
/// are in all.
package struct ImportProblems: Hashable, Sendable {
    /// At most `CSVLimits.problems`.
    package private(set) var first: [ImportProblem] = []
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ problem: ImportProblem) {
        count += 1
        if first.count < CSVLimits.problems { first.append(problem) }
    }

    package mutating func add(_ problems: [ImportProblem]) {
        count += problems.count
        first += problems.prefix(CSVLimits.problems - first.count)
    }

    package mutating func add(_ others: ImportProblems) {
        count += others.count
        first += others.first.prefix(CSVLimits.problems - first.count)
    }
}
