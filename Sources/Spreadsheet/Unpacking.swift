internal import ShareFormats

/// Archives that are no workbooks, and workbooks as CSV.
extension ZipArchive {
    /// Whether an archive is a workbook (.xlsx).
    ///
    /// - Throws: `SpreadsheetError.damaged` for what is no archive.
    package static func isWorkbook(_ bytes: [UInt8]) throws(SpreadsheetError) -> Bool {
        try ZipArchive(bytes, limit: SpreadsheetLimits.archiveBytes).contains("xl/workbook.xml")
    }

    /// Hands over each part with its name, which is a path within a folder.
    ///
    /// - Throws: `outside`, `sameName`, `tooLarge`, `damaged`, or what `body` throws.
    package static func unpack(
        _ bytes: [UInt8], _ body: (String, [UInt8]) throws -> Void
    ) throws {
        let archive = try ZipArchive(bytes, limit: SpreadsheetLimits.archiveBytes)
        for (index, name) in try archive.parts() where !name.hasSuffix("/") {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
                !name.contains("\\"), parts.count <= 8
            else { throw SpreadsheetError.outside(part: name) }
            var part: [UInt8] = []
            try archive.read(index, name) { piece in part.append(contentsOf: piece) }
            try body(name, part)
        }
    }
}

extension SpreadsheetLimits {
    /// Bytes of an archive of CSV files.
    package static let archiveBytes = 256 << 20
}

extension Sheet {
    /// The rows as CSV, each with as many cells as the widest, in the lines of their numbers: those that
    /// hold nothing are empty lines. Cells with line breaks put the rows behind them further down, which
    /// `shifts` says.
    package var csv: [UInt8] { table.csv }

    /// For each row of more than one line of `csv` the number of the row behind it, and of its line.
    package var shifts: [(row: Int, line: Int)] { table.shifts }

    private var table: (csv: [UInt8], shifts: [(row: Int, line: Int)]) {
        var options = CSVWriter.Options()
        options.isRaw = true
        var writer = CSVWriter(options)
        let width = max(1, rows.map { $0.cells.last?.column ?? 0 }.max() ?? 0)
        var csv: [UInt8] = []
        var shifts: [(row: Int, line: Int)] = []
        var next = 1
        for row in rows {
            csv.append(contentsOf: [UInt8](repeating: 0x0A, count: max(0, row.number - next)))
            next = max(next, row.number) + 1
            writer.row((1...width).map { row[$0] })
            let text = writer.take()
            csv += text
            let breaks = row.cells.reduce(0) { $0 + Self.breaks(in: $1.text) }
            if breaks > 0 {
                let line = shifts.last.map { next - $0.row + $0.line } ?? next
                shifts.append((next, line + breaks))
            }
        }
        return (csv, shifts)
    }

    /// How many lines more a text takes than one; a CR and an LF together break one.
    private static func breaks(in text: String) -> Int {
        var last: UInt8 = 0
        return text.utf8.reduce(0) { count, byte in
            defer { last = byte }
            return count + (byte == 0x0D || byte == 0x0A && last != 0x0D ? 1 : 0)
        }
    }
}
