package import ShareControl
import Glibc

/// The paths at which the daemon's socket may be, in the order in which they are tried.
package struct SocketLocation: Sendable, Equatable {
    package let candidates: [String]
    /// The folders that may hold the unit of the service.
    package var unitFolders = ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map {
        $0 + "/systemd/system"
    }

    /// The one path that somebody named, or else the two usual ones.
    ///
    /// - Throws: `Problem` with `socketPathTooLong` where a path cannot be that of a socket.
    package init(
        option: String?, environment: [String: String], user: UInt32 = getuid()
    ) throws(Problem) {
        if let named = option ?? environment["SHARED_SOCKET"].flatMap({ $0.isEmpty ? nil : $0 }) {
            candidates = [named]
        } else {
            let set = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 }
            let own = set ?? "/run/user/\(user)"
            candidates = ["\(own)/shared/control.sock", "/run/shared/control.sock"]
        }
        for path in candidates {
            guard !path.isEmpty else {
                throw Problem(
                    .usage, "the path of the socket is empty", hint: "Name it: --socket PATH.")
            }
            guard path.utf8.count <= ControlLimits.socketPathBytes else {
                throw Problem(
                    .socketPathTooLong,
                    "the socket path has \(path.utf8.count) bytes, and a socket's may have "
                        + "\(ControlLimits.socketPathBytes): \(path)",
                    hint: "Choose a shorter path for both: sharedd --socket PATH and "
                        + "shared --socket PATH, or SHARED_SOCKET.")
            }
        }
    }

    /// The problem to report when connecting to each candidate failed with these error numbers.
    package func problem(_ failures: [(path: String, error: Int32)]) -> Problem {
        if let denied = failures.first(where: { $0.error == EACCES || $0.error == EPERM }) {
            return Problem(
                .permissionDenied, "you may not use the daemon's socket \(denied.path)",
                hint: "Ask to be added to the group of the socket, then log in again; "
                    + "or start a daemon of your own: `sharedd`.")
        }
        if let stale = failures.first(where: { $0.error == ECONNREFUSED }) {
            guard Self.isSocket(stale.path) else {
                return Problem(
                    .daemonNotReachable, "\(stale.path) is not a socket",
                    hint: "Name the daemon's socket: --socket PATH, or SHARED_SOCKET.")
            }
            return Problem(
                .daemonNotReachable,
                "shared is not running on this device (it left its socket \(stale.path) behind)",
                hint: "\(start) It replaces the old socket.")
        }
        let missing = failures.filter { $0.error == ENOENT || $0.error == ENOTDIR }
        guard missing.count == failures.count else {
            let other = failures.first { $0.error != ENOENT }
            let reason = other.map { String(cString: strerror($0.error)) } ?? "unknown error"
            return Problem(
                .daemonNotReachable,
                "cannot connect to \(other?.path ?? "the daemon"): \(reason)",
                hint: "See whether sharedd runs and is not overloaded.")
        }
        return Problem(
            .daemonNotReachable,
            "shared is not running on this device (no socket at "
                + candidates.joined(separator: " or ") + ")",
            hint: start + " Where it uses another socket, name it: --socket PATH.")
    }

    /// How it is started, by the way in which it is installed and asked for.
    private var start: String {
        // Who names a socket means a daemon of their own.
        if candidates.count == 1 { return "Start it: sharedd --socket \(candidates[0])." }
        let isService = unitFolders.contains { access($0 + "/sharedd.service", F_OK) == 0 }
        return isService ? "Start it: sudo systemctl start sharedd." : "Start it: sharedd."
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}
