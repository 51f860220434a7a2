import ShareControl
import ShareCore
import ShareFormats

/// Cells that are left alone: their entries had these values before they were changed, so whoever
/// keeps the file has not heard of the change.
struct LeftCells: Sendable {
    /// Those of one row.
    struct Row: Sendable {
        let line: Int
        /// What the entry is called, or the end of its id.
        let name: String
        let cells: [Cell]
    }

    struct Cell: Sendable {
        /// The place in `form.stored`.
        let field: Int
        let stays: FieldValue
        let inFile: FieldValue
    }

    private(set) var cells = 0
    private(set) var rows = 0
    /// Rows of which nothing is written so.
    private(set) var wholeRows = 0
    /// The first rows, with `named` cells at most.
    private var first: [Row] = []

    private static let named = 10

    mutating func take(_ row: Row, isWhole: Bool) {
        let room = Self.named - first.reduce(0) { $0 + $1.cells.count }
        if room > 0 {
            first.append(
                Row(line: row.line, name: row.name, cells: Array(row.cells.prefix(room))))
        }
        cells += row.cells.count
        rows += 1
        if isWhole { wholeRows += 1 }
    }

    /// What is to be said of them; nil where there are none.
    func note(_ schema: FormSchema) -> ImportProblem? {
        guard cells > 0 else { return nil }
        let told = first.map { row in
            "\(row.name) (line \(row.line)): "
                + row.cells.map { $0.told(schema) }.joined(separator: "; ")
        }
        let more = cells - first.reduce(0) { $0 + $1.cells.count }
        let entries = rows == 1 ? "entry was changed after it" : "entries were changed after they"
        let what =
            cells == 1
            ? "1 cell is left alone: its entry was changed after it had that value"
            : "\(cells) cells are left alone: their \(entries) had these values"
        return ImportProblem(
            line: 0, column: nil,
            reason: what + ": " + told.joined(separator: "; ")
                + (more > 0 ? " and \(more) more" : ""),
            hint: "To put what the file has over it: --over-newer")
    }
}

extension LeftCells.Cell {
    fileprivate func told(_ schema: FormSchema) -> String {
        func text(_ value: FieldValue, or none: String) -> String {
            value == .absent
                ? none : schema.parser.text(value, at: field).shortened(to: ImportChange.shownBytes)
        }
        return "\(schema.form.stored[field].name) stays \(text(stays, or: "empty")),"
            + " the file has \(text(inFile, or: "none"))"
    }
}
