extension Workbook {
    /// Reads a file of any kind that holds tables, told apart by its content: .xlsx, CSV, or
    /// Markdown. `wanted` chooses sheets of an .xlsx file with several, and knows those that one CSV
    /// file holds.
    ///
    /// - Throws: `SpreadsheetError`, for what looks like a form and is none in particular.
    package init(
        file bytes: [UInt8], name: String, wanted: ((String) -> Bool)? = nil
    ) throws(SpreadsheetError) {
        let base = name.split(separator: "/").last ?? ""
        if base.hasPrefix("~$") || base.hasPrefix(".~lock.") { throw .lockFile }
        if bytes.isEmpty { throw .empty }
        if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            throw Workbook.isEncrypted(bytes) ? .encrypted : .oldExcel
        }
        if bytes.starts(with: "version https://git-lfs.".utf8) { throw .gitLFSPointer }
        if bytes.starts(with: "PK".utf8) {
            let wanted = wanted ?? { _ in true }
            self = try Workbook(xlsx: bytes, wanted: wanted, orOnly: true)
            return
        }
        let ending = base.lastIndex(of: ".").map { base[$0...].lowercased() } ?? ""
        switch ending {
        case ".csv", ".tsv":
            self = try Workbook(csv: bytes, name: name, names: wanted ?? { _ in false })
        case ".md", ".markdown", ".txt": self = try Workbook(markdown: bytes, name: name)
        case ".xlsx", ".xlsm": throw .damaged(part: "the file", reason: "it is no ZIP archive")
        default: throw .unknownFormat
        }
    }

    /// Whether an OLE2 file wraps an encrypted .xlsx: a stream of its directory has that name.
    private static func isEncrypted(_ bytes: [UInt8]) -> Bool {
        let name = "EncryptedPackage".utf8.flatMap { [$0, 0] as [UInt8] }
        // Directories lie on sectors of 128 bytes.
        return stride(from: 0, to: bytes.count, by: 128).contains { offset in
            bytes[offset...].starts(with: name)
        }
    }
}
