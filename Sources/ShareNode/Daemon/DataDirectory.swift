internal import Glibc
internal import Synchronization

/// The folder that holds everything of one device; locked for as long as this object lives.
package final class DataDirectory: Sendable {
    package let path: String
    /// Where the room files are.
    package var rooms: String { path + "/rooms" }
    /// The file of rooms, known addresses and settings.
    package var node: String { path + "/node.sqlite" }

    private static let lockName = "lock"

    let folder: Int32
    private let lock: Int32
    private let isOpen = Mutex(true)

    /// Creates the folder (0700) where there is none, and locks it.
    ///
    /// - Throws: `DataDirectoryError`.
    package init(path: String) throws(DataDirectoryError) {
        self.path = path
        do {
            try Folder.create(path)
        } catch {
            if error.code == ENOTDIR { throw .wrongKind(path: path, what: "a folder") }
            throw .system(call: "create", path: error.path, errno: error.code)
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        do {
            lock = try DataDirectory.takeLock(in: folder, path)
        } catch {
            Glibc.close(folder)
            throw error
        }
        self.folder = folder
        do {
            try createRooms()
        } catch {
            // All fields are set, so `deinit` closes them.
            throw error
        }
    }

    /// Lets another process in.
    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        Glibc.close(lock)
        Glibc.close(folder)
    }

    deinit { close() }

    // MARK: Lock

    private static func takeLock(
        in folder: Int32, _ path: String
    ) throws(DataDirectoryError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let lock = openat(folder, lockName, flags, 0o600)
        guard lock >= 0 else {
            if errno == ELOOP { throw .wrongKind(path: path + "/" + lockName, what: "a file") }
            throw .notWritable(path: path, errno: errno)
        }
        guard SystemError.retry({ flock(lock, LOCK_EX | LOCK_NB) }) == 0 else {
            let code = errno
            let owner = readOwner(lock)
            Glibc.close(lock)
            if code == EWOULDBLOCK { throw .locked(path: path, process: owner) }
            throw .system(call: "lock", path: path, errno: code)
        }
        // Only for the message that the next one prints.
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(lock, 0) == 0, pwrite(lock, text, text.count, 0) == text.count else {
            let code = errno
            Glibc.close(lock)
            throw .notWritable(path: path, errno: code)
        }
        return lock
    }

    private static func readOwner(_ lock: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes.prefix(count).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    private func createRooms() throws(DataDirectoryError) {
        if mkdirat(folder, "rooms", 0o700) == 0 { return }
        guard errno == EEXIST else { throw .notWritable(path: path, errno: errno) }
        var status = stat()
        guard fstatat(folder, "rooms", &status, 0) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .wrongKind(path: rooms, what: "a folder")
        }
    }
}
