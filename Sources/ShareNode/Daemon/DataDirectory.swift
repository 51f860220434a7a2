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

    /// Locks the folder of rooms, and notes in a file who has it; whoever removes that file lets
    /// nobody else in.
    ///
    /// - Returns: the descriptor that holds the lock.
    private static func takeLock(
        in folder: Int32, _ path: String
    ) throws(DataDirectoryError) -> Int32 {
        let rooms = try openRooms(in: folder, path)
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let note = openat(folder, lockName, flags, 0o600)
        var held: Int32?
        defer { for file in [rooms, note] where file >= 0 && file != held { Glibc.close(file) } }
        guard note >= 0 else {
            if errno == ELOOP { throw .wrongKind(path: path + "/" + lockName, what: "a file") }
            throw .notWritable(path: path, errno: errno)
        }
        // A file system of the network may know locks of files alone.
        for file in [rooms, note] where held == nil {
            if SystemError.retry({ flock(file, LOCK_EX | LOCK_NB) }) == 0 {
                held = file
            } else if errno == EWOULDBLOCK {
                throw .locked(path: path, process: readOwner(note))
            }
        }
        guard let taken = held else { throw .system(call: "lock", path: path, errno: errno) }
        // Until all is done it goes with the other.
        held = nil
        // Only for the message that the next one prints.
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(note, 0) == 0, pwrite(note, text, text.count, 0) == text.count else {
            throw .notWritable(path: path, errno: errno)
        }
        held = taken
        return taken
    }

    private static func readOwner(_ lock: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(lock, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes.prefix(count).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    /// The folder of rooms, made where there is none.
    private static func openRooms(
        in folder: Int32, _ path: String
    ) throws(DataDirectoryError) -> Int32 {
        guard mkdirat(folder, "rooms", 0o700) == 0 || errno == EEXIST else {
            throw .notWritable(path: path, errno: errno)
        }
        let rooms = openat(folder, "rooms", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard rooms >= 0 else {
            if errno == ENOTDIR || errno == ENOENT {
                throw .wrongKind(path: path + "/rooms", what: "a folder")
            }
            throw .system(call: "open", path: path + "/rooms", errno: errno)
        }
        return rooms
    }
}

/// Why a data directory cannot be used. `description` says what happened, `hint` what to do.
package enum DataDirectoryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another daemon works on it; its process, where the lock says so.
    case locked(path: String, process: Int32?)
    /// It exists, but nothing can be created in it.
    case notWritable(path: String, errno: Int32)
    /// It, or something in it, is not the kind of file it has to be.
    case wrongKind(path: String, what: String)
    /// The identity file is there but does not hold an identity.
    case damagedIdentity(path: String, String)
    /// Others could have read the identity.
    case exposedIdentity(path: String)
    case system(call: String, path: String, errno: Int32)

    package var description: String {
        switch self {
        case .locked(let path, let process?):
            "the data directory \(path) is locked by another sharedd (pid \(process))"
        case .locked(let path, nil):
            "the data directory \(path) is locked by another sharedd"
        case .notWritable(let path, let code):
            "cannot write to the data directory \(path): \(SystemError.text(code))"
        case .wrongKind(let path, let what): "\(path) is not \(what)"
        case .damagedIdentity(let path, let what): "the identity in \(path) is damaged: \(what)"
        case .exposedIdentity(let path):
            "the identity in \(path) belongs to another user, or others may read it"
        case .system(let call, let path, let code):
            "cannot \(call) \(path): \(SystemError.text(code))"
        }
    }

    package var hint: String {
        switch self {
        case .locked: "Stop that one first, or start this one with another --data."
        case .notWritable, .system: "Check its owner and its disk, or choose another with --data."
        case .wrongKind: "Move it away, or choose another folder with --data."
        case .damagedIdentity:
            "Restore the file from a backup; if there is none, move it away and join the rooms anew."
        case .exposedIdentity:
            "If nobody can have read it, make it yours alone with chmod 600; else move it away "
                + "and join the rooms anew."
        }
    }
}
