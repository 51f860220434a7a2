internal import CSQLite

/// The arguments of a call of a function that SQL calls.
struct SQLArguments {
    fileprivate let values: UnsafeMutablePointer<OpaquePointer?>?
    let count: Int

    /// Calls `body` with the bytes of one of them as text, which last as long as the call; empty
    /// for NULL and behind the last.
    func withText<R>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        guard index < count, let value = values?[index] else {
            return body(UnsafeBufferPointer(start: nil, count: 0))
        }
        let start = sqlite3_value_text(value)
        return body(
            UnsafeBufferPointer(
                start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
    }

    /// One of them; `.null` behind the last.
    func value(_ index: Int) -> SQLValue {
        guard index < count, let value = values?[index] else { return .null }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            let start = sqlite3_value_text(value)
            let length = Int(sqlite3_value_bytes(value))
            return .text(
                String(
                    decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : length),
                    as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            let length = Int(sqlite3_value_bytes(value))
            return .blob(
                Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length)))
        default: return .null
        }
    }
}

/// Keeps a function's body as long as the connection knows the function.
private final class SQLFunction {
    let body: (SQLArguments) -> SQLValue

    init(_ body: @escaping (SQLArguments) -> SQLValue) { self.body = body }
}

extension Database {
    /// Lets SQL on this connection call `body`, with any number of arguments.
    ///
    /// - Parameter isByChance: whether equal arguments may come to other values: then it is called for
    ///   each row, also where its arguments are the same for all.
    func define(
        _ name: String, isByChance: Bool = false, _ body: @escaping (SQLArguments) -> SQLValue
    ) throws(SQLiteError) {
        let flags = SQLITE_UTF8 | (isByChance ? 0 : SQLITE_DETERMINISTIC)
        let function = Unmanaged.passRetained(SQLFunction(body))
        let code = sqlite3_create_function_v2(
            handle, name, -1, flags, function.toOpaque(),
            { context, count, values in
                guard let data = sqlite3_user_data(context) else { return }
                let function = Unmanaged<SQLFunction>.fromOpaque(data).takeUnretainedValue()
                let result = function.body(SQLArguments(values: values, count: Int(count)))
                switch result {
                case .null: sqlite3_result_null(context)
                case .integer(let number): sqlite3_result_int64(context, number)
                case .real(let number): sqlite3_result_double(context, number)
                case .text(var text):
                    text.withUTF8 { bytes in
                        bytes.withMemoryRebound(to: CChar.self) {
                            sqlite3_result_text64(
                                context, $0.baseAddress ?? UnsafePointer(bitPattern: 1),
                                UInt64($0.count), shim_sqlite_transient(), UInt8(SQLITE_UTF8))
                        }
                    }
                case .blob(let bytes):
                    bytes.withUnsafeBytes {
                        sqlite3_result_blob64(
                            context, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
                            UInt64($0.count), shim_sqlite_transient())
                    }
                }
            }, nil, nil,
            { data in
                if let data { Unmanaged<SQLFunction>.fromOpaque(data).release() }
            })
        guard code == SQLITE_OK else { throw failure(code) }
    }
}
