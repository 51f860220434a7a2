/// Rows in aligned columns.
struct Table {
    /// A longer cell is cut.
    static let widestCell = 40

    let header: [String]
    private(set) var rows: [[String]] = []

    init(_ header: [String]) { self.header = header }

    /// Adds a row; its cells are made harmless here.
    mutating func add(_ cells: [String]) {
        rows.append(cells.map { Terminal.cut(Terminal.plain($0), Self.widestCell) })
    }

    /// How wide each column must be, and which holds numbers only.
    var layout: Layout {
        var widths = header.map(Terminal.width)
        var isNumeric = header.map { _ in true }
        for row in rows {
            for (index, cell) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], Terminal.width(cell))
                if !cell.isEmpty, Double(cell) == nil { isNumeric[index] = false }
            }
        }
        return Layout(
            widths: widths, isNumeric: rows.isEmpty ? header.map { _ in false } : isNumeric)
    }

    func write(to output: Output) {
        let layout = layout
        output.line(layout.line(header))
        for row in rows { output.line(layout.line(row)) }
    }

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
