internal import CSQLite
internal import Glibc

/// A value on its way into a statement or out of a row.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral
{
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(nilLiteral: ()) { self = .null }
}

/// How names from outside get into SQL: quoted, never otherwise.
enum SQLName {
    /// The name as an identifier in double quotes. A name holds no NUL: see `ColumnNames`.
    static func quote(_ name: some StringProtocol) -> String {
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// The name as SQLite compares it: ASCII letters without their case.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}

/// SQLite's answer instead of doing the work, with the statement that it was asked.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    /// SQLite's own words.
    package let message: String
    /// The statement, without the values bound to it.
    package let sql: String?

    /// The path of the file; nil where none was open, and where it may be one of several.
    package let file: String?
    /// Whether no file could be opened as too many are open.
    package let lacksDescriptors: Bool

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
        file = nil
        lacksDescriptors = false
    }

    /// The error of a connection's last call.
    init(_ handle: OpaquePointer?, code: Int32, sql: String?) {
        let primary = code & 0xff
        let isRead = primary == SQLITE_CORRUPT || primary == SQLITE_IOERR
        // What a disk cannot read, SQLite calls malformed.
        if isRead, let handle, shim_sqlite_take_errno(handle) == EIO {
            self.code = Self.unreadable
            message = "input/output error"
        } else {
            self.code = code
            message = String(cString: sqlite3_errmsg(handle))
        }
        self.sql = sql
        lacksDescriptors =
            primary == SQLITE_CANTOPEN
            && handle.map { [EMFILE, ENFILE].contains(sqlite3_system_errno($0)) } == true
        file = Self.onlyFile(of: handle)
    }

    /// The same of a file that SQLite did not name.
    init(_ error: SQLiteError, of file: String) {
        (code, message, sql, lacksDescriptors) = (
            error.code, error.message, error.sql, error.lacksDescriptors
        )
        self.file = file
    }

    /// SQLite does not say in which of the files of a connection it has failed.
    private static func onlyFile(of handle: OpaquePointer?) -> String? {
        var files: [String] = []
        var place: Int32 = 0
        while let handle, let name = sqlite3_db_name(handle, place) {
            if let file = sqlite3_db_filename(handle, name).map({ String(cString: $0) }),
                !file.isEmpty
            {
                files.append(file)
            }
            place += 1
        }
        return files.count == 1 ? files[0] : nil
    }

    /// The names of the tables that the statement names, as SQLite does not say which of them it was.
    package var tables: [String] {
        guard let sql else { return [] }
        let words = sql.split { " \n(),;".contains($0) }
        let named = zip(words, words.dropFirst()).filter {
            ["FROM", "JOIN", "INTO", "UPDATE"].contains($0.0) && $0.1 != "SELECT"
        }
        return named.reduce(into: [String]()) { tables, found in
            let name = found.1.filter { $0 != "\"" }
            // What the statement itself has made is none.
            guard !tables.contains(name), !sql.contains("\(name) AS (") else { return }
            tables.append(name)
        }
    }

    /// The error of a file beside the room's, in SQLite's words.
    package static func ofFile(isFull: Bool) -> SQLiteError {
        isFull
            ? SQLiteError(code: SQLITE_FULL, message: "the disk is full")
            : SQLiteError(code: SQLITE_IOERR, message: "a file cannot be written or read")
    }

    /// The code without its extension, such as SQLITE_CONSTRAINT.
    package var primaryCode: Int32 { code & 0xff }

    /// Whether there was no room for what was to be written; a reader writes into the index of the
    /// write-ahead log, too.
    package var isDiskFull: Bool { primaryCode == SQLITE_FULL || code == Self.noIndex }
    /// Whether the work was given up by `Database.endsWhenCancelled`.
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    /// Whether the disk did not give what was to be read: for a moment, or for good.
    package var isUnreadable: Bool { code == Self.unreadable }
    /// Whether something of the file is gone that every such file has, or does not come.
    var isDamage: Bool { isCorrupt || lacksSchema || isUnreadable }
    /// `SQLITE_IOERR_SHMSIZE`, as below.
    private static let noIndex = SQLITE_IOERR | 19 << 8
    /// `SQLITE_IOERR_READ`, which is a macro that Swift does not see.
    private static let unreadable = SQLITE_IOERR | 1 << 8
    /// Whether the system failed at something that may work the next time.
    package var isPassing: Bool {
        [
            SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_NOMEM, SQLITE_FULL, SQLITE_BUSY,
            SQLITE_LOCKED,
        ].contains(primaryCode)
    }
    /// Whether a table or a column that every such file has is not there.
    package var lacksSchema: Bool {
        primaryCode == SQLITE_ERROR
            && (message.hasPrefix("no such table") || message.contains("no such column")
                || message.contains("has no column"))
    }

    /// Whether a table is not there that every such file has.
    package var lacksTable: Bool { lacksSchema && message.hasPrefix("no such table") }

    package var description: String {
        "SQLite \(code): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }
}
