internal import CZip
internal import Glibc

/// A ZIP archive that is written to a new file, out of parts that lie in files.
package final class ZipFile {
    private var handle: OpaquePointer?
    /// libzip reads what was added when the archive is closed.
    private var held: [UnsafeMutableRawBufferPointer] = []

    /// - Throws: `SpreadsheetError.damaged` where the file cannot be made.
    package init(_ path: String) throws(SpreadsheetError) {
        var code: Int32 = 0
        handle = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code)
        guard handle != nil else {
            throw .damaged(part: path, reason: String(cString: strerror(errno)))
        }
    }

    deinit {
        if let handle { zip_discard(handle) }
        for buffer in held { buffer.deallocate() }
    }

    /// Adds a part.
    package func add(_ name: String, _ bytes: [UInt8]) throws(SpreadsheetError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        held.append(copy)
        try add(name, source: zip_source_buffer(handle, copy.baseAddress, UInt64(copy.count), 0))
    }

    /// Adds a part that is all of a file.
    package func add(_ name: String, fileAt path: String) throws(SpreadsheetError) {
        try add(name, source: zip_source_file(handle, path, 0, -1))
    }

    private func add(_ name: String, source: OpaquePointer?) throws(SpreadsheetError) {
        let index = zip_file_add(handle, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
        guard source != nil, index >= 0 else {
            zip_source_free(source)
            throw failure(name)
        }
        // One fixed time, so that the same parts give the same bytes: 1980-01-01.
        zip_file_set_dostime(handle, UInt64(index), 0, 33, 0)
    }

    /// Writes the archive; it is then of no further use.
    package func finish() throws(SpreadsheetError) {
        guard zip_close(handle) == 0 else { throw failure("the archive") }
        handle = nil
    }

    private func failure(_ part: String) -> SpreadsheetError {
        .damaged(part: part, reason: ZipArchive.text(of: zip_get_error(handle)))
    }
}
