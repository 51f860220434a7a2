internal import CSQLite

/// What SQLite answered instead of doing the work, with the statement that it was asked.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    /// SQLite's own words.
    package let message: String
    /// The statement, without the values bound to it.
    package let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// What is left of the code without its extension, such as SQLITE_CONSTRAINT.
    package var primaryCode: Int32 { code & 0xff }

    package var isDiskFull: Bool { primaryCode == SQLITE_FULL }
    /// Whether the work was given up by `Database.endsWhenCancelled`.
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
    /// A table or a column that a statement names is not there.
    package var isMissing: Bool { primaryCode == SQLITE_ERROR }

    package var description: String {
        "SQLite \(code): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }
}
