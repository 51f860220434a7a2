internal import CSQLite

/// A database's file as it lies on the disk, read through SQLite.
///
/// A descriptor of one's own would take SQLite's locks with it when it is closed: locks on a file are
/// those of the process, whichever descriptor they were taken with.
extension Database {
    /// The bytes of the file, without those that lie in its log alone.
    func fileSize() throws(SQLiteError) -> Int64 {
        var size: sqlite3_int64 = 0
        try check(shim_sqlite_file_size(handle, &size))
        return size
    }

    /// Fills a buffer with the file's bytes from an offset on, which it must have.
    func readFile(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SQLiteError) {
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
        try check(shim_sqlite_read_file(handle, start, Int32(buffer.count), offset))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code != SQLITE_OK else { return }
        throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), sql: nil)
    }
}
