internal import Glibc
package import ShareCrypto
internal import Synchronization

/// The folder that holds everything of one device; locked for as long as this object lives.
package final class DataDirectory: Sendable {
    package let path: String
    /// Where the room files are.
    package var rooms: String { path + "/rooms" }
    /// The file of rooms, known addresses and settings.
    package var node: String { path + "/node.sqlite" }

    private static let lockName = "lock"
    private static let identityName = "identity"

    private let folder: Int32
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

    /// The identity of this device: read, or made at the first start.
    ///
    /// A damaged file is an error and never replaced: with it the device's rooms would be lost.
    /// - Throws: `DataDirectoryError`.
    package func identity() throws(DataDirectoryError) -> DeviceIdentity {
        if let identity = try readIdentity() { return identity }
        try writeIdentity(DeviceIdentity.generate())
        // What counts is the file: link() may have lost against another process.
        guard let identity = try readIdentity() else {
            throw .system(call: "find again", path: identityPath, errno: ENOENT)
        }
        return identity
    }

    private var identityPath: String { path + "/" + DataDirectory.identityName }

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

    // MARK: Identity

    private func readIdentity() throws(DataDirectoryError) -> DeviceIdentity? {
        let name = DataDirectory.identityName
        // O_NONBLOCK: a pipe of that name must not make the daemon wait for ever.
        let file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw .wrongKind(path: identityPath, what: "a plain file") }
            throw .system(call: "open", path: identityPath, errno: errno)
        }
        defer { Glibc.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw .system(call: "look at", path: identityPath, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .wrongKind(path: identityPath, what: "a plain file")
        }
        guard status.st_uid == geteuid() || geteuid() == 0, status.st_mode & 0o077 == 0 else {
            throw .exposedIdentity(path: identityPath)
        }
        let length = DeviceIdentity.seedLength
        guard Int(status.st_size) == length else {
            throw .damagedIdentity(path: identityPath, bytes: Int(status.st_size))
        }
        var seed = [UInt8](repeating: 0, count: length)
        defer { DataDirectory.wipe(&seed) }
        let count = read(file, &seed, length)
        guard count == length else {
            if count < 0 { throw .system(call: "read", path: identityPath, errno: errno) }
            throw .damagedIdentity(path: identityPath, bytes: count)
        }
        // A file that lost its blocks in a power cut has its length, and holds zeros.
        guard seed.contains(where: { $0 != 0 }), let identity = DeviceIdentity(seed: seed) else {
            throw .damagedIdentity(path: identityPath, bytes: 0)
        }
        return identity
    }

    /// Writes a temporary file, syncs it, links it, syncs the folder: after a power cut there is
    /// the whole file or none, and an existing one is never replaced.
    private func writeIdentity(_ identity: DeviceIdentity) throws(DataDirectoryError) {
        let temporary = ".identity.new"
        unlinkat(folder, temporary, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = openat(folder, temporary, flags, 0o600)
        guard file >= 0 else { throw .notWritable(path: path, errno: errno) }
        defer { unlinkat(folder, temporary, 0) }
        let code = identity.withSeed { seed -> Int32 in
            let count = write(file, seed.baseAddress, seed.count)
            if count != seed.count { return count < 0 ? errno : ENOSPC }
            return fsync(file) == 0 ? 0 : errno
        }
        Glibc.close(file)
        guard code == 0 else { throw .notWritable(path: path, errno: code) }
        let linked = linkat(folder, temporary, folder, DataDirectory.identityName, 0)
        guard linked == 0 || errno == EEXIST, fsync(folder) == 0 else {
            throw .notWritable(path: path, errno: errno)
        }
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        }
    }
}
