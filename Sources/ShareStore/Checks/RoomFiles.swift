internal import CSQLite
import Glibc
import ShareCore
import ShareCrypto

/// A room's file with those that SQLite keeps beside it.
enum RoomFiles {
    static let companions = ["", "-wal", "-shm"]

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The number of the file that has the name now; nil for none.
    static func number(_ path: String) -> UInt64? {
        var about = stat()
        guard stat(path, &about) == 0 else { return nil }
        return UInt64(about.st_ino)
    }

    static func remove(_ path: String) {
        for suffix in companions + ["-journal"] { unlink(path + suffix) }
    }

    /// A name beside the file that is not taken: `.damaged-1` and so on.
    static func aside(_ path: String) -> String {
        var number = 1
        while isTaken(aside(path, number)) { number += 1 }
        return aside(path, number)
    }

    private static func aside(_ path: String, _ number: Int) -> String {
        "\(path).damaged-\(number)"
    }

    /// SQLite would take a log that was left alone for that of a file which gets its name.
    private static func isTaken(_ name: String) -> Bool {
        (companions + ["-journal"]).contains { exists(name + $0) }
    }

    /// Puts a finished file in the place of another, which stays under a name that is returned.
    ///
    /// A power cutoff leaves the one or the other under the name, after `settle`.
    /// - Throws: `SQLiteError` with the system's words.
    static func replace(_ path: String, with made: String) throws -> String? {
        let kept = try exists(path) ? keep(path) : nil
        try removeLog(path)
        try check(rename(made, path))
        try sync(path)
        return kept
    }

    /// Moves a file that cannot be used out of the way.
    ///
    /// A power cutoff leaves it under its name or out of the way, after `settle`.
    static func moveAside(_ path: String) throws -> String {
        let name = try keep(path)
        try removeLog(path)
        try check(unlink(path))
        try sync(path)
        return name
    }

    /// Gives a file a second name, with its log, and returns it. They are on the disk before the first
    /// name goes: a file without its log has lost what is in there, and says nothing.
    static func keep(_ path: String) throws -> String {
        let name = aside(path)
        for suffix in ["-wal", ""] where exists(path + suffix) {
            try check(link(path + suffix, name + suffix))
        }
        try sync(path)
        return name
    }

    private static func removeLog(_ path: String) throws {
        for suffix in ["-wal", "-shm"] where exists(path + suffix) {
            try check(unlink(path + suffix))
        }
        try sync(path)
    }

    /// Takes back a `replace` or `moveAside` that was cut off: then the file still has both names, and
    /// perhaps only the second one its log. Nobody may have it open.
    static func settle(_ path: String) throws {
        guard let file = number(path) else { return }
        var place = 1
        while isTaken(aside(path, place)) {
            let name = aside(path, place)
            place += 1
            guard number(name) == file else { continue }
            if exists(name + "-wal"), !exists(path + "-wal") {
                try check(link(name + "-wal", path + "-wal"))
                try sync(path)
            }
            for suffix in ["-wal", ""] where exists(name + suffix) {
                try check(unlink(name + suffix))
            }
            try sync(path)
        }
    }

    /// Copies a file that nobody writes to meanwhile, with the log that belongs to it; it may be open.
    ///
    /// - Returns: where the copy is; nil where there is no file.
    /// - Throws: `SQLiteError` with the system's words; then there is no copy.
    static func copyAside(_ path: String) throws -> String? {
        guard exists(path) else { return nil }
        let name = aside(path)
        do {
            // The file that is closed here must not be the database: the locks of this process on it
            // would go, those of SQLite too. It locks nothing in its log.
            if exists(path + "-wal") {
                let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
                guard log >= 0 else { throw failure() }
                defer { close(log) }
                try copy(to: name + "-wal") { buffer, _ in
                    let count = read(log, buffer.baseAddress, buffer.count)
                    guard count >= 0 else { throw failure() }
                    return count
                }
            }
            let database = try Database(path: path, access: .readOnly)
            let size = try database.fileSize()
            try copy(to: name) { buffer, offset in
                let count = Int(min(Int64(buffer.count), size - offset))
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                try database.readFile(into: part, at: offset)
                return count
            }
            try sync(path)
        } catch {
            remove(name)
            throw error
        }
        return name
    }

    /// Makes a file of what `next` reads into a buffer, from an offset on, until it reads nothing.
    private static func copy(
        to name: String, _ next: (UnsafeMutableRawBufferPointer, Int64) throws -> Int
    ) throws {
        let target = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw failure() }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes { try next($0, offset) }
            guard count > 0 else { break }
            var written = 0
            while written < count {
                let more = buffer[written..<count].withUnsafeBytes {
                    write(target, $0.baseAddress, $0.count)
                }
                guard more > 0 else { throw failure() }
                written += more
            }
            offset += Int64(count)
        }
        try check(fsync(target))
    }

    /// Makes names in the file's folder durable.
    private static func sync(_ path: String) throws {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        try check(fsync(descriptor))
    }

    private static func check(_ result: Int32) throws {
        if result != 0 { throw failure() }
    }

    private static func failure() -> SQLiteError {
        SQLiteError(code: SQLITE_IOERR, message: String(cString: strerror(errno)), sql: nil)
    }
}
