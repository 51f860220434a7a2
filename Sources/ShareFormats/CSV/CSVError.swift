/// Why a file cannot be read as CSV, with the line (from 1) where that shows.
package enum CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `column` is the cell's number in its row, from 1.
    case notUTF8(line: Int, column: Int)
    /// Written by a program that uses two bytes for each character.
    case utf16
    case cellTooLong(line: Int, column: Int, limit: Int)
    case rowTooLong(line: Int, limit: Int)
    case tooManyColumns(line: Int, limit: Int)
    /// The row that starts in `line` opens a quote that nothing closes.
    case openQuote(line: Int, column: Int)
    /// Something between a closing quote and the next separator.
    case afterQuote(line: Int, column: Int)

    package var line: Int {
        switch self {
        case .utf16: 1
        case .notUTF8(let line, _), .cellTooLong(let line, _, _), .rowTooLong(let line, _),
            .tooManyColumns(let line, _), .openQuote(let line, _), .afterQuote(let line, _):
            line
        }
    }

    /// The cell's number in its row, from 1, where one cell is at fault.
    package var column: Int? {
        switch self {
        case .utf16, .rowTooLong, .tooManyColumns: nil
        case .notUTF8(_, let column), .cellTooLong(_, let column, _), .openQuote(_, let column),
            .afterQuote(_, let column):
            column
        }
    }

    /// The fault, without the position.
    package var reason: String {
        switch self {
        case .notUTF8: "not UTF-8 text"
        case .utf16: "the file is UTF-16, not UTF-8"
        case .cellTooLong(_, _, let limit): "a cell of more than \(limit) bytes"
        case .rowTooLong(_, let limit): "a row of more than \(limit) bytes"
        case .tooManyColumns(_, let limit): "more than \(limit) columns"
        case .openQuote: "a quote is opened and never closed"
        case .afterQuote: "text after a closing quote"
        }
    }

    /// The remedy.
    package var hint: String {
        switch self {
        case .notUTF8, .utf16: "save the file as \"CSV UTF-8\""
        case .cellTooLong, .rowTooLong: "is a closing quote missing before this line?"
        case .tooManyColumns: "is it the right file?"
        case .openQuote, .afterQuote: "a quote inside a quoted cell is written twice: \"\""
        }
    }

    /// Place and reason in one line.
    package var description: String {
        if let column { return "line \(line), column \(column): \(reason)" }
        return "line \(line): \(reason)"
    }
}

/// The bounds of a CSV file that we read.
package enum CSVLimits {
    package static let cellBytes = 1 << 20
    /// Of the cells of a row together, and of a header line while its separator is sought.
    package static let rowBytes = 4 << 20
    package static let columns = 2_000
    /// Problems of an import that are kept; the rest is counted.
    package static let problems = 100
    /// Choices that are none, for which it is looked which one is meant: of some it may turn out that
    /// they stand in nobody's way.
    static let hints = 2 * problems
}
