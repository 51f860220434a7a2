internal import ShareFormats

// Tables in text files: CSV, one sheet a file or all in one, and Markdown.
extension Workbook {
    /// Reads a folder of CSV files, each a sheet with the name of its file.
    ///
    /// - Throws: `SpreadsheetError.csv`, with the file, line and column.
    package init(csvFiles: [(name: String, bytes: [UInt8])]) throws(SpreadsheetError) {
        self.init()
        var budget = Budget()
        for file in csvFiles {
            let rows = try Workbook.rows(ofCSV: file.bytes, file: file.name, &budget)
            sheets.append(Sheet(name: Workbook.stem(file.name), rows: rows))
        }
    }

    /// Reads one CSV file that holds several sheets, as pyxform does: a cell in the first column
    /// names the sheet that follows, whose rows begin in the second column; its header stands beside
    /// that name or in the next row. What is named twice is one sheet. A file that names no sheet so
    /// is one sheet with the name of the file.
    ///
    /// - Parameter names: whether a cell beside a header names a sheet.
    package init(
        csv bytes: [UInt8], name: String, names: (String) -> Bool = { _ in false }
    ) throws(SpreadsheetError) {
        var budget = Budget()
        let rows = try Workbook.rows(ofCSV: bytes, file: name, &budget)
        let first = rows.first?.cells
        let isAlone =
            first?.count == 1
            && (first?.first?.column == 1 || rows.contains { $0[1].isEmpty })
        let isBeside =
            rows.first.map { $0.cells.count > 1 && names($0[1]) } == true
            && rows.dropFirst().contains { $0[1].isEmpty }
        if isAlone || isBeside {
            self = Workbook(stacked: rows)
        } else {
            self.init([Sheet(name: Workbook.stem(name), rows: rows)])
        }
    }

    /// Reads Markdown tables in the form of pyxform's tests: `| survey |` names a sheet, whose
    /// rows follow with an empty first column. `\|` is a bar and `&#10;` a new line in a cell;
    /// lines that are no row of a table are left out.
    ///
    /// - Throws: `noTable`, `notUTF8`, `tooLarge`.
    package init(markdown bytes: [UInt8], name: String = "the file") throws(SpreadsheetError) {
        do { _ = try UTF8Span(validating: bytes.span) } catch {
            let before = bytes[..<error.byteOffsets.lowerBound]
            throw .notUTF8(file: name, line: before.count { $0 == 0x0A } + 1)
        }
        var rows: [Row] = []
        var budget = Budget()
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let cells = Workbook.cells(ofMarkdown: line) else { continue }
            guard cells.count <= SpreadsheetLimits.columns else {
                throw .tooLarge(what: "columns", limit: SpreadsheetLimits.columns)
            }
            for cell in cells where !cell.isEmpty { try budget.spend(cell) }
            rows.append(Row(number: index + 1, cells: cells))
        }
        self.init(stacked: rows)
        if sheets.isEmpty { throw .noTable }
    }

    /// The workbook as Markdown tables that `init(markdown:)` reads back, but for the numbers of
    /// rows and for spaces at the ends of cells.
    package var markdown: String {
        var lines: [String] = []
        for sheet in sheets {
            let width = sheet.rows.reduce(0) { max($0, $1.cells.last?.column ?? 0) }
            lines.append(
                "| \(Workbook.escaped(sheet.name)) |" + String(repeating: " |", count: width))
            for row in sheet.rows {
                let cells = (1...max(width, 1)).map { " \(Workbook.escaped(row[$0])) |" }
                lines.append("| |" + cells.joined())
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Sheets that are told apart by a cell in the first column.
    private init(stacked rows: [Row]) {
        var stacked = StackedSheets()
        for row in rows { stacked.add(row) }
        self.init(stacked.sheets)
    }

    private static func rows(
        ofCSV bytes: [UInt8], file: String, _ budget: inout Budget
    ) throws(SpreadsheetError) -> [Row] {
        guard bytes.count <= SpreadsheetLimits.fileBytes else {
            throw .tooLarge(what: "bytes of the file", limit: SpreadsheetLimits.fileBytes)
        }
        var rows: [Row] = []
        do throws(CSVError) {
            var reader = CSVReader()
            try reader.read(bytes) { rows.append(Row(number: $0.line, cells: $0.cells)) }
            try reader.finish { rows.append(Row(number: $0.line, cells: $0.cells)) }
        } catch { throw .csv(file: file, error) }
        rows.removeAll { $0.cells.isEmpty }
        for row in rows { for cell in row.cells { try budget.spend(cell.text) } }
        return rows
    }

    /// The cells of a line of a table; nil for any other line.
    private static func cells(ofMarkdown line: ArraySlice<UInt8>) -> [String]? {
        let bar = UInt8(ascii: "|")
        let content = line.drop { $0 == 0x20 || $0 == 0x09 }
        guard content.first == bar else { return nil }
        if content.allSatisfy({ "|-: \t\r".utf8.contains($0) }), content.contains(0x2D) {
            return nil
        }
        var cells: [String] = []
        var cell: [UInt8] = []
        var rest = content.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.first == bar {
                cell.append(bar)
                rest.removeFirst()
            } else if byte == bar {
                cells.append(unescaped(cell))
                cell = []
            } else {
                cell.append(byte)
            }
        }
        // What follows the last bar is a remark.
        return cells
    }

    private static func unescaped(_ cell: [UInt8]) -> String {
        let text = String(decoding: cell, as: UTF8.self).trimmed
        return text.contains("&#10;")
            ? text.split(separator: "&#10;", omittingEmptySubsequences: false)
                .joined(separator: "\n") : text
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "|": escaped += "\\|"
            case "\n": escaped += "&#10;"
            case "\r": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The name of a file without folders and ending.
    static func stem(_ name: String) -> String {
        let file = name.split(separator: "/").last ?? ""
        return String(file.lastIndex(of: ".").map { file[..<$0] } ?? file[...])
    }
}

extension String {
    /// The text without white space at its ends.
    package var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
