import Glibc

/// Rows in aligned columns.
///
/// What people copy stands in full. Prose, which would push the rest of a line away, is cut where
/// somebody looks at it, and nowhere where a program reads it.
struct Table {
    /// Longer prose is cut, on a terminal; a longer cell of any kind widens its column no further.
    static let widestCell = 40
    /// A last column with less room than this is left to the terminal.
    private static let narrowest = 12
    private static let isOnTerminal = isatty(STDOUT_FILENO) == 1

    let header: [String]
    /// The places of the columns that hold prose.
    private let prose: Set<Int>
    private(set) var rows: [[String]] = []
    /// How the last cell of each row stands out.
    private var styles: [Style?] = []

    init(_ header: [String], prose: Set<Int> = []) {
        self.header = header
        self.prose = prose
    }

    /// Adds a row; its cells are made harmless here.
    ///
    /// - Parameter style: how its last cell stands out.
    mutating func add(_ cells: [String], last style: Style? = nil) {
        styles.append(style)
        rows.append(
            cells.enumerated().map { place, cell in
                prose.contains(place) ? Self.prose(cell) : Terminal.plain(cell)
            })
    }

    /// Prose as a cell shows it.
    static func prose(_ text: String) -> String {
        let text = Terminal.plain(text)
        return isOnTerminal ? Terminal.cut(text, widestCell) : text
    }

    /// How wide each column must be, and which holds numbers only.
    var layout: Layout {
        var widths = header.map(Terminal.width)
        // An id may have no letters.
        var isNumeric = header.map { !["ID", "DRAFT"].contains($0) }
        for row in rows {
            for (index, cell) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], min(Terminal.width(cell), Self.widestCell))
                let digits = cell.replacing(",", with: "")
                if !cell.isEmpty, Double(digits) == nil { isNumeric[index] = false }
            }
        }
        return Layout(
            widths: widths, isNumeric: rows.isEmpty ? header.map { _ in false } : isNumeric)
    }

    func write(to output: Output) {
        let layout = layout
        Self.put(layout.line(header), output)
        let start = layout.widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let room = Terminal.columns - start
        for (row, style) in zip(rows, styles) {
            guard Self.isOnTerminal, room >= Self.narrowest, row.count == header.count,
                let last = row.last, Terminal.width(last) > room
            else {
                let line = layout.line(row)
                if let style, let last = row.last, line.hasSuffix(last),
                    Terminal.width(line) <= Terminal.columns
                {
                    output.line(String(line.dropLast(last.count)) + style(last))
                } else {
                    Self.put(line, output)
                }
                continue
            }
            // The last column is for people: it goes on below itself.
            let margin = String(repeating: " ", count: start)
            for (index, part) in Terminal.wrap(last, room).enumerated() {
                let lead = index == 0 ? layout.line(row.dropLast() + ["|"]).dropLast() : margin[...]
                output.line(String(lead) + (style?(part) ?? part))
            }
        }
    }

    /// Writes a line; what is wider than a terminal goes on below, a little further in.
    private static func put(_ line: String, _ output: Output) {
        guard isOnTerminal, Terminal.width(line) > Terminal.columns else {
            return output.line(line)
        }
        for (index, part) in Terminal.wrap(line, Terminal.columns - margin).enumerated() {
            let part = part.drop { $0 == " " }
            if part.isEmpty { continue }
            output.line(
                Typed.trimmedEnd(
                    (index == 0 ? "" : String(repeating: " ", count: margin)) + part))
        }
    }

    private static let margin = 4

    struct Layout {
        var widths: [Int]
        var isNumeric: [Bool]

        func line(_ cells: [String]) -> String {
            var line = ""
            for (index, cell) in cells.enumerated() {
                if index > 0 { line += "  " }
                let isLast = index == cells.count - 1
                if index < widths.count, isNumeric[index] || !isLast {
                    line += Terminal.pad(cell, widths[index], right: isNumeric[index])
                } else {
                    line += cell
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
