import Glibc
import ShareCore
import ShareCrypto

/// A room's file with those that SQLite keeps beside it.
enum RoomFiles {
    static let companions = ["", "-wal", "-shm"]

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func remove(_ path: String) {
        for suffix in companions { unlink(path + suffix) }
    }

    /// A name beside the file that is not taken: `.damaged-1` and so on.
    static func aside(_ path: String) -> String {
        var number = 1
        while access("\(path).damaged-\(number)", F_OK) == 0 { number += 1 }
        return "\(path).damaged-\(number)"
    }

    /// Puts a finished file in the place of another, which stays under a name that is returned.
    ///
    /// A power cut leaves the one or the other under the name.
    /// - Throws: `SQLiteError` with the system's words.
    static func replace(_ path: String, with made: String) throws -> String? {
        var kept: String?
        if access(path, F_OK) == 0 {
            let name = aside(path)
            // SQLite would take a log that was left over for that of the new file.
            for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
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
        for suffix in companions where access(path + suffix, F_OK) == 0 {
            try check(rename(path + suffix, name + suffix))
        }
        try sync(path)
        return name
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
        throw SQLiteError(code: 10, message: String(cString: strerror(errno)), sql: nil)
    }
}
