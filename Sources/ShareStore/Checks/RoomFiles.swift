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
        while exists("\(path).damaged-\(number)") { number += 1 }
        return "\(path).damaged-\(number)"
    }

    /// Puts a finished file in the place of another, which stays under a name that is returned.
    ///
    /// A power cutoff leaves the one or the other under the name.
    /// - Throws: `SQLiteError` with the system's words.
    static func replace(_ path: String, with made: String) throws -> String? {
        var kept: String?
        if exists(path) {
            let name = aside(path)
            // SQLite would take a log that was left over for that of the new file.
            for suffix in ["-wal", "-shm"] where exists(path + suffix) {
                try check(rename(path + suffix, name + suffix))
            }
            try check(link(path, name))
            kept = name
        }
        try check(rename(made, path))
        try sync(path)
        return kept
    }

    /// Moves a file that cannot be used out of the way.
    static func moveAside(_ path: String) throws -> String {
        let name = aside(path)
        for suffix in companions where exists(path + suffix) {
            try check(rename(path + suffix, name + suffix))
        }
        try sync(path)
        return name
    }

    /// Copies a file that nobody writes to meanwhile, with the log that belongs to it.
    ///
    /// - Returns: where the copy is; nil where there is no file.
    /// - Throws: `SQLiteError` with the system's words; then there is no copy.
    static func copyAside(_ path: String) throws -> String? {
        guard exists(path) else { return nil }
        let name = aside(path)
        do {
            for suffix in ["-wal", ""] where exists(path + suffix) {
                try copy(path + suffix, to: name + suffix)
            }
            try sync(path)
        } catch {
            remove(name)
            throw error
        }
        return name
    }

    private static func copy(_ path: String, to name: String) throws {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { return try check(-1) }
        defer { close(source) }
        let target = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { return try check(-1) }
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else {
                if count < 0 { try check(-1) }
                break
            }
            var written = 0
            while written < count {
                let more = buffer[written..<count].withUnsafeBytes {
                    write(target, $0.baseAddress, $0.count)
                }
                guard more > 0 else { return try check(-1) }
                written += more
            }
        }
        try check(fsync(target))
    }

    /// Makes names in the file's folder durable.
    private static func sync(_ path: String) throws {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return try check(-1) }
        defer { close(descriptor) }
        try check(fsync(descriptor))
    }

    private static func check(_ result: Int32) throws {
        guard result != 0 else { return }
        throw SQLiteError(code: SQLITE_IOERR, message: String(cString: strerror(errno)), sql: nil)
    }
}
