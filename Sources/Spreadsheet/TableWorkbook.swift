internal import CZip
internal import Glibc

/// Writes a workbook of large tables: rows go to a file as they come, none is held.
package final class TableWorkbook {
    /// The value of a cell. Days are counted as spreadsheets do, from the end of 1899.
    package enum Cell: Hashable, Sendable {
        case empty
        case text(String)
        /// The digits of a number.
        case number(String)
        case date(Double)
        case dateTime(Double)
        case time(Double)
    }

    private let folder: String
    private let mostRows: Int
    private var titles: [String] = []
    /// The sheet that is being written.
    private var file: UnsafeMutablePointer<FILE>?
    private var xml = XMLWriter()
    private var rows = 0

    /// - Parameters:
    ///   - folder: where the sheets lie meanwhile, and stay.
    ///   - mostRows: of a sheet.
    package init(in folder: String, mostRows: Int = SpreadsheetLimits.rowNumber) {
        self.folder = folder
        self.mostRows = mostRows
    }

    deinit { if let file { fclose(file) } }

    private func sheetPath(_ index: Int) -> String { "\(folder)/sheet\(index + 1).xml" }

    /// Begins a sheet, with the names of its columns as its first row.
    ///
    /// - Throws: `SpreadsheetError.damaged` where the disk is full.
    package func begin(sheet name: String, columns: [String]) throws(SpreadsheetError) {
        try end()
        file = fopen(sheetPath(titles.count), "wx")
        guard file != nil else { throw Self.unwritable() }
        titles.append(name)
        xml = XMLWriter()
        XLSXFrame.start(&xml)
        rows = 0
        try row(columns.map { .text($0) }, .bold)
    }

    /// Adds a row to the sheet that was begun last.
    ///
    /// - Throws: `tooLarge` beyond the rows that a sheet has; `damaged` where the disk is full.
    package func append(_ cells: [Cell]) throws(SpreadsheetError) { try row(cells, .text) }

    private func row(_ cells: [Cell], _ style: XLSXFrame.Style) throws(SpreadsheetError) {
        rows += 1
        guard rows <= mostRows else {
            throw .tooLarge(what: "rows of a sheet", limit: mostRows)
        }
        xml.start("row", [("r", String(rows))])
        for (index, cell) in cells.enumerated() {
            let position = CellPosition(row: rows, column: index + 1)
            switch cell {
            case .empty: continue
            case .text(let text):
                guard text.utf16.count <= Self.longestText else {
                    throw .tooLarge(what: "characters of a cell", limit: Self.longestText)
                }
                XLSXFrame.text(text, at: position, style, &xml)
            case .number(let digits): XLSXFrame.number(digits, at: position, .number, &xml)
            case .date(let day): XLSXFrame.number(Self.digits(day), at: position, .date, &xml)
            case .dateTime(let day):
                XLSXFrame.number(Self.digits(day), at: position, .dateTime, &xml)
            case .time(let day): XLSXFrame.number(Self.digits(day), at: position, .time, &xml)
            }
        }
        xml.end()
        if xml.bytes.count >= Self.chunk { try flush() }
    }

    private static let chunk = 256 << 10
    /// Characters of a cell, in Excel.
    private static let longestText = 32_767

    private static func digits(_ day: Double) -> String {
        let text = day.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private func flush() throws(SpreadsheetError) {
        let bytes = xml.take()
        guard let file, fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw Self.unwritable()
        }
    }

    private func end() throws(SpreadsheetError) {
        guard let file else { return }
        for _ in 0..<2 { xml.end() }
        try flush()
        self.file = nil
        guard fclose(file) == 0 else { throw Self.unwritable() }
    }

    private static func unwritable() -> SpreadsheetError {
        .damaged(part: "a temporary file", reason: String(cString: strerror(errno)))
    }

    /// Writes the workbook to a new file.
    ///
    /// - Throws: `damaged`, for instance where the disk is full.
    package func write(to path: String) throws(SpreadsheetError) {
        try end()
        let archive = try ZipFile(path)
        for part in XLSXFrame.parts(sheets: XLSXFrame.titles(titles)) {
            try archive.add(part.name, part.bytes)
        }
        for index in titles.indices {
            try archive.add(XLSXFrame.part(ofSheet: index), fileAt: sheetPath(index))
        }
        try archive.finish()
    }
}
