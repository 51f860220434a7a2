internal import CSystemd
internal import Glibc
internal import ShareControl
internal import Synchronization

/// The Unix socket on which commands reach the daemon.
///
/// A socket left by a crash is taken over; one on which a daemon answers is not.
package final class ControlSocket: Sendable {
    /// The users who may connect.
    package enum Access: Sendable, Equatable {
        /// This user only (mode 0600).
        case owner
        /// This user and the members of a group (mode 0660).
        case group(String)
    }

    /// The longest path that a Unix socket can have, in bytes.
    package static let maximumPath = ControlLimits.socketPathBytes
    private static let backlog: Int32 = 128

    /// Listening; open until `close`.
    package let descriptor: Int32
    /// Where it is; nil for a socket that the service manager made.
    package let path: String?

    private struct FileID: Equatable {
        let device: UInt
        let inode: UInt
    }

    private let file: FileID?
    private let isOpen = Mutex(true)

    /// Listens on `path`, and creates its folder (0700) where there is none.
    ///
    /// - Throws: `ControlSocketError`.
    package init(path: String, access: Access = .owner) throws(ControlSocketError) {
        let length = path.utf8.count
        guard length <= ControlSocket.maximumPath else {
            throw .pathTooLong(path: path, bytes: length)
        }
        let folder = ControlSocket.folder(of: path)
        let lock = try ControlSocket.lockFolder(folder)
        defer { Glibc.close(lock) }
        try ControlSocket.clear(path)
        let group = try ControlSocket.groupID(access)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | ControlSocket.closeOnExec, 0)
        guard descriptor >= 0 else {
            throw .system(call: "make a socket for", path: path, errno: errno)
        }
        var isListening = false
        defer { if !isListening { Glibc.close(descriptor) } }
        // The file takes its mode from the socket, so at no time may anybody else connect.
        guard fchmod(descriptor, 0o600) == 0,
            ControlSocket.withAddress(path, { bind(descriptor, $0, $1) }) == 0
        else { throw .system(call: "bind", path: path, errno: errno) }
        let file = ControlSocket.fileID(path)
        if let group {
            // As a service the group is the process's own, and chown is not allowed.
            let isOurs = ControlSocket.groupID(of: path) == group
            guard isOurs || chown(path, uid_t.max, group) == 0, chmod(path, 0o660) == 0 else {
                let code = errno
                unlink(path)
                throw .system(call: "give to the group", path: path, errno: code)
            }
        }
        guard listen(descriptor, ControlSocket.backlog) == 0 else {
            let code = errno
            unlink(path)
            throw .system(call: "listen on", path: path, errno: code)
        }
        // From here on `deinit` closes it; before, all of this would be closed twice.
        isListening = true
        self.path = path
        self.descriptor = descriptor
        self.file = file
    }

    /// Takes a socket that the service manager listens on already.
    package init(adopting descriptor: Int32) throws(ControlSocketError) {
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            throw .notListening(descriptor: descriptor)
        }
        self.descriptor = descriptor
        path = nil
        file = nil
    }

    /// Stops listening; removes the file if it is still the one made here.
    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        if let path, let file {
            // Without the lock of the folder (it may be gone) the worst is a left-over file.
            let lock = try? ControlSocket.lockFolder(ControlSocket.folder(of: path))
            if ControlSocket.fileID(path) == file { unlink(path) }
            if let lock { Glibc.close(lock) }
        }
        Glibc.close(descriptor)
    }

    deinit { close() }

    // MARK: Pieces

    private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The folder's descriptor, locked: two daemons that start at once must not take over from
    /// each other.
    private static func lockFolder(_ folder: String) throws(ControlSocketError) -> Int32 {
        do {
            try Folder.create(folder)
        } catch {
            throw .system(call: "create", path: error.path, errno: error.code)
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .system(call: "open", path: folder, errno: errno)
        }
        guard SystemError.retry({ flock(descriptor, LOCK_EX) }) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw .system(call: "lock", path: folder, errno: code)
        }
        return descriptor
    }

    /// Removes a socket on which nobody answers.
    private static func clear(_ path: String) throws(ControlSocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .system(call: "look at", path: path, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | closeOnExec
        let probe = socket(AF_UNIX, kind, 0)
        guard probe >= 0 else {
            throw .system(call: "make a socket for", path: path, errno: errno)
        }
        defer { Glibc.close(probe) }
        let result = withAddress(path) { connect(probe, $0, $1) }
        let code = errno
        // EAGAIN: its queue is full, so somebody owns it. EPROTOTYPE: a socket of another kind.
        if result == 0 || code == EAGAIN || code == EPROTOTYPE { throw .inUse(path: path) }
        guard code == ECONNREFUSED else {
            if code == ENOENT { return }
            throw .system(call: "connect to", path: path, errno: code)
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .system(call: "remove", path: path, errno: errno)
        }
    }

    private static func groupID(_ access: Access) throws(ControlSocketError) -> gid_t? {
        guard case .group(let name) = access else { return nil }
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 1 << 16)
        guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
            throw .unknownGroup(name)
        }
        return entry.gr_gid
    }

    private static func groupID(of path: String) -> gid_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_gid : nil
    }

    private static func fileID(_ path: String) -> FileID? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return FileID(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Why there is no control socket. `description` says what happened, `hint` what to do.
package enum ControlSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    case pathTooLong(path: String, bytes: Int)
    /// Another daemon answers on it.
    case inUse(path: String)
    /// Something that is not a socket has that name.
    case notASocket(path: String)
    case unknownGroup(String)
    /// A system call failed on a path.
    case system(call: String, path: String, errno: Int32)
    /// The descriptor that the service manager passed is not a listening Unix socket.
    case notListening(descriptor: Int32)

    package var description: String {
        switch self {
        case .pathTooLong(let path, let bytes):
            "the socket path \(path) is \(bytes) bytes long; at most "
                + "\(ControlSocket.maximumPath) are possible"
        case .inUse(let path): "another sharedd is running and answers on \(path)"
        case .notASocket(let path): "\(path) exists and is not a socket"
        case .unknownGroup(let name): "there is no group \(name)"
        case .system(let call, let path, let code):
            "cannot \(call) \(path): \(SystemError.text(code))"
        case .notListening(let descriptor):
            "descriptor \(descriptor) is not a listening Unix socket"
        }
    }

    package var hint: String {
        switch self {
        case .pathTooLong: "Choose a shorter path with --socket."
        case .inUse: "Use that one, or start this one with another --data and --socket."
        case .notASocket: "Choose another path with --socket, or move that file away."
        case .unknownGroup: "Create it with: `groupadd --system shared`."
        case .system(_, _, EACCES), .system(_, _, EPERM), .system(_, _, EROFS):
            "Choose a folder that you may write to with --socket."
        case .system: "Choose another path with --socket."
        case .notListening: "In the socket unit use ListenStream= with a path."
        }
    }
}
