internal import CSQLite
internal import Dispatch
import Synchronization

/// Copies a file's write-ahead log into the file beside its writer, over a connection of its own,
/// so that no commit waits for tens of megabytes.
///
/// The log can begin anew only where all of it was copied before the next commit. So the writer
/// copies itself what is left where the log has become `bound` pages long.
final class Checkpoints: Sendable {
    /// Pages of the log from which on it is copied: each page that a bulk load dirties again
    /// meanwhile is written once less.
    static let first = 4_000
    /// Pages of the log at which the writer waits for them, 64 MiB.
    static let bound = 16_000

    private let path: String
    private let queue = DispatchQueue(label: "checkpoints")
    private let state = State()

    private final class State: Sendable {
        let isUnderWay = Mutex(false)
    }

    /// - Parameter path: a file that is open elsewhere.
    init(path: String) { self.path = path }

    // A connection that is closed last removes the log, by its name: nobody else may have put
    // another file there.
    deinit { queue.sync {} }

    /// Copies what is in the log, if that is not under way.
    func start() {
        let isFirst = state.isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else { return }
        queue.async { [path, state] in
            // Nothing is lost where it fails: it is tried again after the next commit.
            try? Database(path: path, access: .existing).copyLog()
            state.isUnderWay.withLock { $0 = false }
        }
    }
}

extension Database {
    /// Copies all of the write-ahead log into the file and leaves the log empty, where nobody else
    /// reads or writes: a changed bit in a log ends it unnoticed, one in the file is found.
    func emptyLog() {
        // Nobody waits long for who reads with another program. Nothing is lost where it cannot be
        // done: the next start or end does it.
        sqlite3_busy_timeout(handle, 200)
        defer { sqlite3_busy_timeout(handle, Database.busyTimeout) }
        _ = try? rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Copies the write-ahead log into the file, as far as nobody reads what was there before.
    func copyLog() throws(SQLiteError) {
        // The statement reads the file first; the function does nothing where nobody has yet.
        _ = try rows("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Calls `start` after each commit that leaves `first` pages or more in the write-ahead log,
    /// for somebody else to copy them; from `bound` pages on they are copied in the commit itself.
    func leavesLog(
        from first: Int = Checkpoints.first, to bound: Int = Checkpoints.bound,
        _ start: @escaping () -> Void
    ) {
        let hook = LogHook(first: first, bound: bound, start: start)
        logHook = hook
        sqlite3_wal_hook(
            handle,
            { context, handle, _, pages in
                guard let context else { return SQLITE_OK }
                let hook = Unmanaged<LogHook>.fromOpaque(context).takeUnretainedValue()
                if pages >= hook.bound {
                    // As SQLite's own: the commit is done, whatever comes of this.
                    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                } else if pages >= hook.first {
                    hook.start()
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(hook).toOpaque())
    }
}

/// What SQLite calls after a commit, as long as the connection is open.
final class LogHook {
    let first: Int
    let bound: Int
    let start: () -> Void

    init(first: Int, bound: Int, start: @escaping () -> Void) {
        self.first = first
        self.bound = bound
        self.start = start
    }
}
