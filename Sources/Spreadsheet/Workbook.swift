/// The tables of one spreadsheet, every cell as text.
package struct Workbook: Hashable, Sendable {
    package var sheets: [Sheet]

    package init(_ sheets: [Sheet] = []) { self.sheets = sheets }

    /// The first sheet of that name, compared without case and outer spaces, as people write it.
    package func sheet(named name: String) -> Sheet? {
        let wanted = Sheet.folded(name)
        return sheets.first { Sheet.folded($0.name) == wanted }
    }
}

/// A table: rows in the order of the file, without those that are empty.
package struct Sheet: Hashable, Sendable {
    package var name: String
    package var rows: [Row]
    /// Cells that hold a formula whose result the file lacks, so that they read as empty.
    package var unsolved: [CellPosition]

    package init(name: String, rows: [Row] = [], unsolved: [CellPosition] = []) {
        self.name = name
        self.rows = rows
        self.unsolved = unsolved
    }

    /// A table whose rows are numbered from 1.
    package init(name: String, table: [[String]]) {
        let rows = table.enumerated().map { Row(number: $0.offset + 1, cells: $0.element) }
        self.init(name: name, rows: rows.filter { !$0.cells.isEmpty })
    }

    static func folded(_ name: String) -> String {
        let words = name.lowercased().split(whereSeparator: \.isWhitespace)
        return words.joined(separator: " ")
    }
}

/// A row of a sheet: the cells that hold anything.
package struct Row: Hashable, Sendable {
    /// A cell that is not empty.
    package struct Cell: Hashable, Sendable {
        /// Counted from 1.
        package let column: Int
        package let text: String
    }

    /// The number that people see beside it, from 1: of a text file, the line.
    package let number: Int
    /// By ascending column.
    package private(set) var cells: [Cell] = []

    package init(number: Int) { self.number = number }

    /// A row of these texts from the first column on.
    package init(number: Int, cells: [String]) {
        self.init(number: number)
        for (index, text) in cells.enumerated() { set(column: index + 1, text) }
    }

    /// The text in a column, counted from 1; empty where there is none.
    ///
    /// - Complexity: O(log cells).
    package subscript(column: Int) -> String {
        let index = position(of: column)
        return index < cells.count && cells[index].column == column ? cells[index].text : ""
    }

    /// Puts a text into a column, counted from 1; an empty one is not kept.
    package mutating func set(column: Int, _ text: String) {
        let index = position(of: column)
        if index < cells.count, cells[index].column == column { cells.remove(at: index) }
        if !text.isEmpty { cells.insert(Cell(column: column, text: text), at: index) }
    }

    /// Where the cell of a column stands or would stand; at the end for the usual ascending order.
    private func position(of column: Int) -> Int {
        if let last = cells.last, last.column < column { return cells.count }
        var low = 0
        var high = cells.count
        while low < high {
            let middle = (low + high) / 2
            if cells[middle].column < column { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The place of a cell, both counted from 1; written like `C7`.
package struct CellPosition: Hashable, Sendable, CustomStringConvertible {
    package let row: Int
    package let column: Int

    package init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }

    package var description: String { CellPosition.letters(ofColumn: column) + String(row) }

    /// The letters of a column: A, B, ... Z, AA.
    package static func letters(ofColumn column: Int) -> String {
        var letters: [UInt8] = []
        var rest = column
        while rest > 0 {
            letters.insert(65 + UInt8((rest - 1) % 26), at: 0)
            rest = (rest - 1) / 26
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Reads a reference such as `C7`; nil where it is none, or lies outside of any sheet.
    init?(_ reference: String) {
        var row = 0
        var column = 0
        for byte in reference.utf8 {
            switch byte {
            case 65...90 where row == 0: column = column * 26 + Int(byte) - 64
            case 97...122 where row == 0: column = column * 26 + Int(byte) - 96
            case 48...57 where column > 0: row = row * 10 + Int(byte) - 48
            default: return nil
            }
            guard column <= SpreadsheetLimits.columns, row <= SpreadsheetLimits.rowNumber else {
                return nil
            }
        }
        guard row > 0 else { return nil }
        self.init(row: row, column: column)
    }
}
