internal import CZip

extension Workbook {
    /// The workbook as an .xlsx file: every cell an inline text, so that none is ever taken for a
    /// formula; the first row of each sheet bold and kept in view. The same tables give the same
    /// bytes.
    ///
    /// - Throws: `SpreadsheetError.damaged` where libzip fails, which is for want of memory.
    package func xlsx() throws(SpreadsheetError) -> [UInt8] {
        let main = "application/vnd.openxmlformats-officedocument.spreadsheetml."
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        let package = "http://schemas.openxmlformats.org/package/2006/"
        let sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

        var types = XMLWriter()
        types.start("Types", [("xmlns", package + "content-types")])
        types.element(
            "Default",
            [
                ("Extension", "rels"),
                ("ContentType", "application/vnd.openxmlformats-package.relationships+xml"),
            ])
        var kinds = [("workbook", "sheet.main"), ("styles", "styles")]
        kinds += sheets.indices.map { ("worksheets/sheet\($0 + 1)", "worksheet") }
        for (part, kind) in kinds {
            types.element(
                "Override",
                [("PartName", "/xl/\(part).xml"), ("ContentType", "\(main)\(kind)+xml")])
        }
        types.end()

        var root = XMLWriter()
        root.start("Relationships", [("xmlns", package + "relationships")])
        root.element(
            "Relationship",
            [("Id", "rId1"), ("Type", office + "/officeDocument"), ("Target", "xl/workbook.xml")])
        root.end()

        var book = XMLWriter()
        var relations = XMLWriter()
        book.start("workbook", [("xmlns", sheet), ("xmlns:r", office)])
        book.start("sheets")
        relations.start("Relationships", [("xmlns", package + "relationships")])
        for (index, title) in sheetTitles.enumerated() {
            let id = "rId\(index + 1)"
            book.element("sheet", [("name", title), ("sheetId", "\(index + 1)"), ("r:id", id)])
            relations.element(
                "Relationship",
                [
                    ("Id", id), ("Type", office + "/worksheet"),
                    ("Target", "worksheets/sheet\(index + 1).xml"),
                ])
        }
        relations.element(
            "Relationship",
            [("Id", "rIdStyles"), ("Type", office + "/styles"), ("Target", "styles.xml")])
        for _ in 0..<2 { book.end() }
        relations.end()

        var archive = try ZipBuilder()
        try archive.add("[Content_Types].xml", types.bytes)
        try archive.add("_rels/.rels", root.bytes)
        try archive.add("xl/workbook.xml", book.bytes)
        try archive.add("xl/_rels/workbook.xml.rels", relations.bytes)
        try archive.add("xl/styles.xml", Workbook.styles(sheet))
        for (index, rows) in sheets.map(\.rows).enumerated() {
            try archive.add("xl/worksheets/sheet\(index + 1).xml", Workbook.xml(rows, sheet))
        }
        return try archive.finish()
    }

    /// Titles as Excel takes them: 1 to 31 characters, some excluded, no two alike without case.
    private var sheetTitles: [String] {
        var seen: Set<String> = []
        return sheets.enumerated().map { index, sheet in
            let safe = sheet.name.map { "[]:*?/\\".contains($0) ? "_" : $0 }.prefix(31)
            let title = safe.isEmpty ? "sheet\(index + 1)" : String(safe)
            return seen.insert(title.lowercased()).inserted ? title : "sheet\(index + 1)"
        }
    }

    /// Two styles: text, and bold text; 49 is the format that keeps `007` as it is typed.
    private static func styles(_ namespace: String) -> [UInt8] {
        var xml = XMLWriter()
        xml.start("styleSheet", [("xmlns", namespace)])
        xml.start("fonts", [("count", "2")])
        for isBold in [false, true] {
            xml.start("font")
            if isBold { xml.element("b") }
            xml.element("sz", [("val", "11")])
            xml.element("name", [("val", "Calibri")])
            xml.end()
        }
        xml.end()
        xml.start("fills", [("count", "2")])
        for pattern in ["none", "gray125"] {
            xml.start("fill")
            xml.element("patternFill", [("patternType", pattern)])
            xml.end()
        }
        xml.end()
        xml.start("borders", [("count", "1")])
        xml.element("border")
        xml.end()
        xml.start("cellStyleXfs", [("count", "1")])
        xml.element("xf")
        xml.end()
        xml.start("cellXfs", [("count", "2")])
        for font in ["0", "1"] {
            xml.element(
                "xf",
                [("numFmtId", "49"), ("fontId", font), ("fillId", "0"), ("borderId", "0")])
        }
        xml.end()
        xml.end()
        return xml.bytes
    }

    private static func xml(_ rows: [Row], _ namespace: String) -> [UInt8] {
        var xml = XMLWriter()
        xml.start("worksheet", [("xmlns", namespace)])
        xml.start("sheetViews")
        xml.start("sheetView", [("workbookViewId", "0")])
        xml.element(
            "pane",
            [
                ("ySplit", "1"), ("topLeftCell", "A2"), ("activePane", "bottomLeft"),
                ("state", "frozen"),
            ])
        for _ in 0..<2 { xml.end() }
        xml.start("cols")
        xml.element("col", [("min", "1"), ("max", "40"), ("width", "22"), ("customWidth", "1")])
        xml.end()
        xml.start("sheetData")
        for row in rows {
            xml.start("row", [("r", String(row.number))])
            for cell in row.cells {
                let position = CellPosition(row: row.number, column: cell.column)
                xml.start(
                    "c",
                    [
                        ("r", position.description), ("s", row.number == 1 ? "1" : "0"),
                        ("t", "inlineStr"),
                    ])
                xml.start("is")
                xml.element("t", [("xml:space", "preserve")], text: escaped(cell.text))
                for _ in 0..<2 { xml.end() }
            }
            xml.end()
        }
        for _ in 0..<2 { xml.end() }
        return xml.bytes
    }

    /// A text with what XML cannot hold, and what would read as such an escape, escaped.
    private static func escaped(_ text: String) -> String {
        let needsEscape = text.unicodeScalars.contains {
            !XMLWriter.isAllowed($0) || $0 == "_" || $0 == "\r"
        }
        guard needsEscape else { return text }
        let bytes = Array(text.utf8)
        var escaped = ""
        var offset = 0
        for scalar in text.unicodeScalars {
            let isEscape = scalar == "_" && CellText.escape(bytes[offset...]) != nil
            if isEscape || !XMLWriter.isAllowed(scalar) || scalar == "\r" {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped +=
                    "_x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
            offset += UTF8.width(scalar)
        }
        return escaped
    }
}

/// Builds a ZIP archive in memory.
struct ZipBuilder: ~Copyable {
    private let source: OpaquePointer
    private var handle: OpaquePointer?
    /// libzip reads what was added when the archive is closed.
    private var held: [UnsafeMutableRawBufferPointer] = []

    init() throws(SpreadsheetError) {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let source = zip_source_buffer_create(nil, 0, 0, &error) else {
            throw .damaged(part: "the archive", reason: ZipArchive.text(of: &error))
        }
        guard let handle = zip_open_from_source(source, ZIP_TRUNCATE, &error) else {
            let reason = ZipArchive.text(of: &error)
            zip_source_free(source)
            throw .damaged(part: "the archive", reason: reason)
        }
        self.source = source
        self.handle = handle
        zip_source_keep(source)
    }

    deinit {
        if let handle { zip_discard(handle) }
        zip_source_free(source)
        for buffer in held { buffer.deallocate() }
    }

    mutating func add(_ name: String, _ bytes: [UInt8]) throws(SpreadsheetError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        held.append(copy)
        let part = zip_source_buffer(handle, copy.baseAddress, UInt64(copy.count), 0)
        let index = zip_file_add(handle, name, part, zip_flags_t(ZIP_FL_ENC_UTF_8))
        guard index >= 0 else {
            zip_source_free(part)
            throw failure(name)
        }
        // One fixed time, so that the same tables give the same bytes: 1980-01-01.
        zip_file_set_dostime(handle, UInt64(index), 0, 33, 0)
    }

    /// Writes the archive; the builder is then of no further use.
    mutating func finish() throws(SpreadsheetError) -> [UInt8] {
        guard zip_close(handle) == 0 else { throw failure("the archive") }
        handle = nil
        var status = zip_stat_t()
        guard zip_source_open(source) == 0, zip_source_stat(source, &status) == 0 else {
            throw .damaged(part: "the archive", reason: "it cannot be read back")
        }
        defer { zip_source_close(source) }
        let size = Int(clamping: status.size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, Int(zip_source_read(source, buffer.baseAddress, UInt64(size))))
        }
    }

    private func failure(_ part: String) -> SpreadsheetError {
        .damaged(part: part, reason: ZipArchive.text(of: zip_get_error(handle)))
    }
}
