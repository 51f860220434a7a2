import CSQLite
import Glibc
import Synchronization

/// A file system layer of SQLite on which the read of one page of a file can fail, as a disk's
/// does, or one single call.
enum FailingDisk {
    static let name = "failing"
    /// `SQLITE_IOERR_READ`, which is a macro that Swift does not see.
    static let code: Int32 = SQLITE_IOERR | 1 << 8
    /// `SQLITE_IOERR_CORRUPTFS`: what SQLite's own layer makes of EIO.
    static let codeOfSystem: Int32 = SQLITE_IOERR | 33 << 8
    /// Where the page begins that cannot be read; nil for none.
    private static let failing = Mutex<Int64?>(nil)

    /// How many calls go well before the one that fails; nil for none.
    private static let goodCalls = Mutex<Int?>(nil)
    private static let callCode = Mutex(FailingDisk.code)

    private typealias Read =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, Int64
        ) -> Int32

    // Written once, before the layer can be opened by its name.
    nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var read: Read?

    private static let isRegistered: Bool = {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        FailingDisk.system = system
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.zName = name.withCString { UnsafePointer(strdup($0)) }
        layer.pointee.xOpen = { _, path, file, flags, out in
            guard let system = FailingDisk.system else { return SQLITE_MISUSE }
            // What SQLite's own layer does where open(2) fails: it opens for reading alone.
            let writing = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            let flags =
                FailingDisk.isTurn() ? flags & ~writing | SQLITE_OPEN_READONLY : flags
            let code = system.pointee.xOpen(system, path, file, flags, out)
            guard code == SQLITE_OK, let file, let real = file.pointee.pMethods else {
                return code
            }
            let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            methods.initialize(to: real.pointee)
            FailingDisk.read = real.pointee.xRead
            methods.pointee.xRead = { file, buffer, count, offset in
                if FailingDisk.failing.withLock({ $0 }) == offset { return FailingDisk.code }
                if FailingDisk.isTurn() { return FailingDisk.callCode.withLock { $0 } }
                return FailingDisk.read?(file, buffer, count, offset) ?? SQLITE_MISUSE
            }
            file.pointee.pMethods = UnsafePointer(methods)
            return code
        }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }()

    /// Makes the layer known to SQLite.
    static func register() -> Bool { isRegistered }

    private static func isTurn() -> Bool {
        goodCalls.withLock { calls in
            guard let left = calls else { return false }
            calls = left == 0 ? nil : left - 1
            return left == 0
        }
    }

    /// Lets one call that opens or reads fail while `body` runs, after so many that go well.
    ///
    /// - Returns: also whether that call came.
    static func failing<R>(
        after calls: Int, with code: Int32 = FailingDisk.code, _ body: () throws -> R
    ) rethrows -> (R, Bool) {
        callCode.withLock { $0 = code }
        goodCalls.withLock { $0 = calls }
        defer { goodCalls.withLock { $0 = nil } }
        let result = try body()
        return (result, goodCalls.withLock { $0 } == nil)
    }

    private static let systemFails = Mutex(false)

    /// Lets the next read by SQLite's own layer fail while `body` runs, with EIO from the system.
    static func failingSystem<R>(_ body: () throws -> R) rethrows -> R {
        typealias Call = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
        let failing: Call = { file, buffer, count, offset in
            let fails = FailingDisk.systemFails.withLock { fails in
                defer { fails = false }
                return fails
            }
            guard fails else { return pread(file, buffer, count, offset) }
            errno = EIO
            return -1
        }
        systemFails.withLock { $0 = true }
        let layer = sqlite3_vfs_find(nil)
        let names = ["pread", "pread64"]
        let call = unsafeBitCast(failing, to: sqlite3_syscall_ptr.self)
        for name in names { _ = layer?.pointee.xSetSystemCall(layer, name, call) }
        defer { for name in names { _ = layer?.pointee.xSetSystemCall(layer, name, nil) } }
        return try body()
    }

    /// Lets each read of a page fail while `body` runs.
    static func failing<R>(page: Int64, _ body: () throws -> R) rethrows -> R {
        failing.withLock { $0 = (page - 1) * 4_096 }
        defer { failing.withLock { $0 = nil } }
        return try body()
    }
}
