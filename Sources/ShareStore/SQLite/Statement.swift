internal import CSQLite

/// A prepared statement; finalized when the last owner lets go.
package final class Statement {
    let handle: OpaquePointer

    init(_ database: OpaquePointer, _ sql: String, persistent: Bool) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags: UInt32 = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(database, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(database, code: code, sql: sql)
        }
        guard let handle else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement", sql: sql)
        }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Makes one step; whether there is a row to read.
    @discardableResult
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Makes the statement ready to run again; its bound values stay.
    package func reset() { sqlite3_reset(handle) }

    /// Lets go of the values bound, so that none outlives its memory.
    package func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // MARK: Binding, from index 1

    package func bind(_ values: [SQLValue]) throws(SQLiteError) {
        for (offset, value) in values.enumerated() { try bind(value, at: Int32(offset + 1)) }
    }

    package func bind(_ value: SQLValue, at index: Int32) throws(SQLiteError) {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(handle, index)
        case .integer(let value): code = sqlite3_bind_int64(handle, index, value)
        case .real(let value): code = sqlite3_bind_double(handle, index, value)
        case .text(var value):
            code = value.withUTF8 {
                sqlite3_bind_text64(
                    handle, index,
                    UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(
                        to: CChar.self) ?? Statement.nothing, UInt64($0.count),
                    shim_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        case .blob(let value):
            code = value.withUnsafeBytes {
                sqlite3_bind_blob64(
                    handle, index, $0.baseAddress ?? UnsafeRawPointer(Statement.nothing),
                    UInt64($0.count), shim_sqlite_transient())
            }
        }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    // A valid address for values of no length, which SQLite would take for null otherwise.
    nonisolated(unsafe) private static let nothing: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()

    // The three below are the bulk path's: their codes are not looked at one by one, as a
    // wrong index shows at the first step, and SQLite copies nothing here that could fail.

    @inline(__always)
    func bindInteger(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

    @inline(__always)
    func bindReal(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

    @inline(__always)
    func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

    /// Binds text that stays where it is until the statement is stepped and bound anew.
    @inline(__always)
    func bindStatic(_ start: UnsafePointer<UInt8>, _ count: Int, at index: Int32) {
        start.withMemoryRebound(to: CChar.self, capacity: count) {
            _ = sqlite3_bind_text(handle, index, $0, Int32(count), nil)
        }
    }

    /// A blob that stays where it is until the next step is done.
    func bindStatic(_ blob: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) {
        let start = blob.baseAddress ?? UnsafeRawPointer(Statement.nothing)
        let code = sqlite3_bind_blob64(handle, index, start, UInt64(blob.count), nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    func bindEmptyText(at index: Int32) {
        sqlite3_bind_text(handle, index, Statement.nothing, 0, nil)
    }

    // MARK: Reading a row, from column 0

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    package func text(_ column: Int32) -> String {
        withText(column) { String(decoding: $0, as: UTF8.self) }
    }

    package func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    package func blob(_ column: Int32) -> [UInt8] { withBlob(column) { Array($0) } }

    /// Lends a text's bytes until the next step.
    package func withText<R>(
        _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R {
        let start = sqlite3_column_text(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Lends a blob's bytes until the next step.
    package func withBlob<R>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    package func value(_ column: Int32) -> SQLValue {
        switch kind(column) {
        case .integer: .integer(integer(column))
        case .real: .real(real(column))
        case .text: .text(text(column))
        case .blob: .blob(blob(column))
        case .null: .null
        }
    }

    /// The type of the value in a column of a row.
    package enum Kind: Sendable {
        case null, integer, real, text, blob
    }

    package func kind(_ column: Int32) -> Kind {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// The name of a column.
    package func name(_ column: Int32) -> String {
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }

    /// The path of the file that it reads.
    var file: String {
        sqlite3_db_filename(sqlite3_db_handle(handle), "main").map { String(cString: $0) } ?? ""
    }

    package var columnCount: Int32 { sqlite3_column_count(handle) }
    package var sql: String { String(cString: sqlite3_sql(handle)) }

    private func failure(_ code: Int32) -> SQLiteError {
        let error = SQLiteError(sqlite3_db_handle(handle), code: code, sql: sql)
        sqlite3_reset(handle)
        return error
    }
}
