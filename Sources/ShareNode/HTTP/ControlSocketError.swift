internal import Glibc

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
