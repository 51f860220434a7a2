internal import CZip

extension Workbook {
    /// The workbook as an .xlsx file: every cell an inline text, so that none is ever taken for a
    /// formula; the first row of each sheet bold and kept in view. The same tables give the same
    /// bytes.
    ///
    /// - Throws: `SpreadsheetError.damaged` where libzip fails, which is for want of memory.
    package func xlsx() throws(SpreadsheetError) -> [UInt8] {
        var archive = try ZipBuilder()
        for part in XLSXFrame.parts(sheets: XLSXFrame.titles(sheets.map(\.name))) {
            try archive.add(part.name, part.bytes)
        }
        for (index, rows) in sheets.map(\.rows).enumerated() {
            try archive.add(XLSXFrame.part(ofSheet: index), Workbook.xml(rows))
        }
        return try archive.finish()
    }

    private static func xml(_ rows: [Row]) -> [UInt8] {
        var xml = XMLWriter()
        XLSXFrame.start(&xml)
        for row in rows {
            xml.start("row", [("r", String(row.number))])
            for cell in row.cells {
                XLSXFrame.text(
                    cell.text, at: CellPosition(row: row.number, column: cell.column),
                    row.number == 1 ? .bold : .text, &xml)
            }
            xml.end()
        }
        for _ in 0..<2 { xml.end() }
        return xml.bytes
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
