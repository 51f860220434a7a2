internal import CZip

/// A ZIP archive in memory, read part by part within `SpreadsheetLimits`.
///
/// Parts are found by the central directory: local headers may lack sizes.
package final class ZipArchive {
    private let handle: OpaquePointer
    /// The archive, which libzip reads from until it is closed.
    private let packed: UnsafeMutableRawBufferPointer
    private var unpackedBytes = 0

    /// - Throws: `damaged` where the bytes are no archive, `tooLarge`.
    init(
        _ bytes: [UInt8], limit: Int = SpreadsheetLimits.fileBytes
    ) throws(SpreadsheetError) {
        guard bytes.count <= limit else {
            throw .tooLarge(what: "bytes of the file", limit: limit)
        }
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        packed.copyBytes(from: bytes)
        let source = zip_source_buffer_create(
            packed.baseAddress, UInt64(packed.count), 0, &error)
        guard let source, let handle = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            packed.deallocate()
            throw .damaged(part: "the archive", reason: ZipArchive.text(of: &error))
        }
        self.handle = handle
        self.packed = packed
        guard zip_get_num_entries(handle, 0) <= SpreadsheetLimits.parts else {
            throw .tooLarge(what: "parts of the file", limit: SpreadsheetLimits.parts)
        }
    }

    deinit {
        zip_discard(handle)
        packed.deallocate()
    }

    /// All parts with their names, in the order of the directory; those of folders end with a slash.
    ///
    /// - Throws: `sameName` where two are called alike, or differ in case alone: on many disks the one
    ///   would take the other's place.
    func parts() throws(SpreadsheetError) -> [(index: UInt64, name: String)] {
        var parts: [(index: UInt64, name: String)] = []
        var known: [String: String] = [:]
        for index in 0..<UInt64(max(0, zip_get_num_entries(handle, 0))) {
            guard let text = zip_get_name(handle, index, 0) else {
                throw damaged("the archive")
            }
            let name = String(cString: text)
            if let other = known.updateValue(name, forKey: name.lowercased()) {
                throw .sameName(other, name)
            }
            parts.append((index, name))
        }
        return parts
    }

    /// Whether there is a part of that name, compared without case.
    func contains(_ part: String) -> Bool { index(of: part) != nil }

    /// Hands over a part in pieces, unpacked.
    ///
    /// - Throws: `missingPart`, `damaged`, `encrypted`, `tooLarge`, or what `body` throws.
    func read(
        _ part: String, _ body: (UnsafeRawBufferPointer) throws(SpreadsheetError) -> Void
    ) throws(SpreadsheetError) {
        guard let index = index(of: part) else { throw .missingPart(part) }
        try read(index, part, body)
    }

    /// The same for the part at an index of the directory, which is told by its name.
    func read(
        _ index: UInt64, _ part: String,
        _ body: (UnsafeRawBufferPointer) throws(SpreadsheetError) -> Void
    ) throws(SpreadsheetError) {
        var status = zip_stat_t()
        guard zip_stat_index(handle, index, 0, &status) == 0 else { throw damaged(part) }
        guard status.encryption_method == ZIP_EM_NONE else { throw .encrypted }
        guard status.comp_method == ZIP_CM_STORE || status.comp_method == ZIP_CM_DEFLATE else {
            throw .damaged(part: part, reason: "it is packed by an unknown method")
        }
        guard let file = zip_fopen_index(handle, index, 0) else { throw damaged(part) }
        defer { zip_fclose(file) }
        // What the directory says of the size is not believed beyond what the file holds.
        let stored = min(Int(clamping: status.comp_size), packed.count)
        let limit = SpreadsheetLimits.freeBytes + stored * SpreadsheetLimits.ratio
        var size = 0
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = Int(zip_fread(file, piece.baseAddress, UInt64(piece.count)))
            guard count >= 0 else {
                let reason = zip_file_get_error(file).map { ZipArchive.text(of: $0) }
                throw .damaged(part: part, reason: reason ?? "it cannot be unpacked")
            }
            if count == 0 { return }
            size += count
            unpackedBytes += count
            guard unpackedBytes <= SpreadsheetLimits.unpackedBytes, size <= limit else {
                throw .tooLarge(
                    what: "unpacked bytes of \(part)",
                    limit: min(limit, SpreadsheetLimits.unpackedBytes))
            }
            try body(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
    }

    private func index(of part: String) -> UInt64? {
        let index = zip_name_locate(handle, part, zip_flags_t(ZIP_FL_NOCASE))
        return index < 0 ? nil : UInt64(index)
    }

    private func damaged(_ part: String) -> SpreadsheetError {
        .damaged(part: part, reason: ZipArchive.text(of: zip_get_error(handle)))
    }

    static func text(of error: UnsafeMutablePointer<zip_error_t>) -> String {
        zip_error_strerror(error).map { String(cString: $0) } ?? "unknown error"
    }
}
