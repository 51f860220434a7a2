internal import CSQLite

/// One connection to an SQLite file, used by one thread at a time.
package final class Database {
    /// The rights of a connection.
    package enum Access: Sendable {
        /// Makes the file where there is none.
        case readWrite
        /// Fails where there is no file.
        case existing
        /// Never makes or changes anything; fails where there is no file.
        case readOnly
    }

    let handle: OpaquePointer
    private var cache: [String: Statement] = [:]
    private var savepoints = 0
    /// Called by SQLite after each commit.
    var logHook: LogHook?

    /// Statements kept ready at most; the bulk path needs a few for each form.
    private static let cacheLimit = 256
    /// How long a connection waits for another's lock, in milliseconds.
    static let busyTimeout: Int32 = 10_000

    // Counting every allocation takes a lock each time, and nobody looks at the counts.
    private static let configured = shim_sqlite_forget_statistics()

    /// Opens the file at `path` through the VFS named, or SQLite's own.
    ///
    /// - Throws: what SQLite says; for a file that is no database only when it is first read.
    package init(
        path: String, access: Access = .readWrite, vfs: String? = nil
    ) throws(SQLiteError) {
        _ = Database.configured
        var handle: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch access {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .existing: flags |= SQLITE_OPEN_READWRITE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        }
        let code = sqlite3_open_v2(path, &handle, flags, vfs)
        guard code == SQLITE_OK, let handle else {
            guard let handle else {
                throw SQLiteError(code: code, message: "cannot open", sql: nil)
            }
            defer { sqlite3_close_v2(handle) }
            throw SQLiteError(handle, code: code, sql: nil)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Database.busyTimeout)
    }

    /// A file to work in, which nobody needs after a power cutoff.
    package static func scratch(_ path: String) throws(SQLiteError) -> Database {
        let database = try Database(path: path)
        try database.execute("PRAGMA synchronous=OFF")
        return database
    }

    // Statements that somebody still holds keep the connection alive until they go.
    deinit {
        cache.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Turns on what a file that must not lose anything needs: a write-ahead log, synced at
    /// each commit.
    package func makeDurable() throws(SQLiteError) {
        try execute("PRAGMA journal_mode=WAL")
        try execute("PRAGMA synchronous=FULL")
        // Each page that a bulk load dirties again between two checkpoints is written once less.
        try execute("PRAGMA wal_autocheckpoint=\(Checkpoints.first)")
        try execute("PRAGMA journal_size_limit=\(Checkpoints.bound * 4_096)")
    }

    /// How often a file is opened until it can be written.
    private static let attempts = 3

    /// Opens a file by `body` until it can be written, a few times: a disk that failed for a
    /// moment must not leave it closed. And where the system refuses to open a file, or its log,
    /// for writing, SQLite opens it for reading for good, and says nothing.
    ///
    /// - Returns: what `body` does; after the last attempt also what cannot be written.
    static func opening<Opened>(
        _ body: () throws -> (Opened, Database)
    ) throws -> Opened {
        for _ in 1..<attempts {
            do {
                let (opened, database) = try body()
                if try database.isWritable() { return opened }
            } catch let error as SQLiteError where error.isPassing || error.isCorrupt {}
        }
        return try body().0
    }

    private func isWritable() throws(SQLiteError) -> Bool {
        // Tells of the file; the transaction tells of its log.
        if sqlite3_db_readonly(handle, "main") != 0 { return false }
        do {
            try execute("BEGIN IMMEDIATE")
        } catch {
            if error.isReadOnly { return false }
            throw error
        }
        try execute("ROLLBACK")
        return true
    }

    /// From now on a statement fails (`SQLiteError.isInterrupted`) soon after the task that runs
    /// it is cancelled.
    package func endsWhenCancelled() {
        sqlite3_progress_handler(handle, 10_000, { _ in Task.isCancelled ? 1 : 0 }, nil)
    }

    /// Makes this file the same as another, page by page, in one transaction that is on the disk
    /// on return. Other connections to it go on with what they see.
    package func become(_ other: Database) throws(SQLiteError) {
        forgetStatements()
        guard let backup = sqlite3_backup_init(handle, "main", other.handle, "main") else {
            throw failure(sqlite3_errcode(handle))
        }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        // Its end says nothing of a file that was only in use.
        guard code == SQLITE_DONE else { throw failure(code) }
        guard end == SQLITE_OK else { throw failure(end) }
    }

    func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(handle, code: code, sql: nil)
    }

    /// Reads what can be read of a file that is cut off, or of whose tables not all are known any
    /// more; otherwise SQLite refuses all of it.
    func readsPastDamage() throws(SQLiteError) { try execute("PRAGMA writable_schema=ON") }

    // MARK: Statements

    /// A new statement of one's own, for those whose text will hardly come again.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(handle, sql, persistent: false)
    }

    /// The one statement of this text, reset and with nothing bound.
    ///
    /// It must not be in use further up the call stack.
    package func cached(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = cache[sql] {
            statement.clear()
            return statement
        }
        if cache.count >= Database.cacheLimit { cache.removeAll() }
        let statement = try Statement(handle, sql, persistent: true)
        cache[sql] = statement
        return statement
    }

    /// Drops the prepared statements; schema changes make them stale.
    package func forgetStatements() { cache.removeAll() }

    /// Runs statements without values, separated by semicolons.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(handle, code: code, sql: sql)
        }
    }

    /// Runs one statement to its end.
    package func run(_ sql: String, _ values: SQLValue...) throws(SQLiteError) {
        let statement = try cached(sql)
        try statement.bind(values)
        while try statement.step() {}
        statement.clear()
    }

    /// The first row's columns; nil where there is no row.
    package func row(_ sql: String, _ values: SQLValue...) throws(SQLiteError) -> [SQLValue]? {
        let statement = try cached(sql)
        try statement.bind(values)
        guard try statement.step() else { return nil }
        let row = (0..<statement.columnCount).map { statement.value($0) }
        statement.clear()
        return row
    }

    /// The first column of the first row as a number; nil where there is none.
    package func integer(_ sql: String, _ values: SQLValue...) throws(SQLiteError) -> Int64? {
        let statement = try cached(sql)
        try statement.bind(values)
        guard try statement.step(), !statement.isNull(0) else {
            statement.clear()
            return nil
        }
        let value = statement.integer(0)
        statement.clear()
        return value
    }

    /// All rows, for results that are known to be short.
    package func rows(_ sql: String, _ values: SQLValue...) throws(SQLiteError) -> [[SQLValue]] {
        let statement = try cached(sql)
        try statement.bind(values)
        var rows: [[SQLValue]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.value($0) })
        }
        statement.clear()
        return rows
    }

    /// Rows that the last insert, update or delete touched.
    package var changes: Int { Int(sqlite3_changes(handle)) }
    package var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    // MARK: Transactions

    /// Runs `body` and commits what it did, all or nothing; on return it is on the disk, or part of
    /// the transaction that it ran in.
    package func transaction<R>(_ body: () throws -> R) throws -> R {
        guard sqlite3_get_autocommit(handle) != 0 else { return try savepoint(body) }
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // A full disk may have rolled back already; then there is nothing left to do.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` inside a transaction; if it throws, only its own work is undone.
    package func savepoint<R>(_ body: () throws -> R) throws -> R {
        savepoints += 1
        defer { savepoints -= 1 }
        let name = "s\(savepoints)"
        try execute("SAVEPOINT \(name)")
        do {
            let result = try body()
            try execute("RELEASE \(name)")
            return result
        } catch {
            if sqlite3_get_autocommit(handle) == 0 {
                try? execute("ROLLBACK TO \(name); RELEASE \(name)")
            }
            throw error
        }
    }

    /// Runs `body` on one unchanging view of the file: that of the transaction that is under way, if
    /// one is.
    package func snapshot<R>(_ body: () throws -> R) throws -> R {
        guard sqlite3_get_autocommit(handle) != 0 else { return try body() }
        try execute("BEGIN")
        defer { try? execute("COMMIT") }
        return try body()
    }
}
