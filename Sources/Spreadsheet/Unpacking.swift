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
    /// - Throws: `outside`, `tooLarge`, `damaged`.
    package static func unpack(
        _ bytes: [UInt8], _ body: (String, [UInt8]) -> Void
    ) throws(SpreadsheetError) {
        let archive = try ZipArchive(bytes, limit: SpreadsheetLimits.archiveBytes)
        for name in archive.names where !name.hasSuffix("/") {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
                !name.contains("\\"), parts.count <= 8
            else { throw .outside(part: name) }
            var part: [UInt8] = []
            try archive.read(name) { piece in part.append(contentsOf: piece) }
            body(name, part)
        }
    }
}

extension SpreadsheetLimits {
    /// Bytes of an archive of CSV files.
    package static let archiveBytes = 256 << 20
}

extension Sheet {
    /// The rows as CSV, each with as many cells as the first.
    package var csv: [UInt8] {
        var options = CSVWriter.Options()
        options.isRaw = true
        var writer = CSVWriter(options)
        let width = rows.first?.cells.last?.column ?? 0
        for row in rows {
            writer.row((1...max(1, width)).map { row[$0] })
        }
        return writer.bytes
    }
}
