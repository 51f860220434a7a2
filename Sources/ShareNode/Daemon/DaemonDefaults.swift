/// Where things are when the command line does not say.
struct DaemonDefaults {
    let data: String?
    let socket: String
    let socketGroup: String?

    /// Under a service manager its folders; else those of the user (XDG base directories).
    init(environment: [String: String], user: UInt32) {
        data = DaemonDefaults.data(environment)
        if let folder = DaemonDefaults.first(environment["RUNTIME_DIRECTORY"]) {
            socket = folder + "/control.sock"
            // The folder of a user's own service manager lies where nobody else may look.
            socketGroup = folder.hasPrefix("/run/user/") ? nil : "shared"
        } else {
            let base =
                DaemonDefaults.absolute(environment["XDG_RUNTIME_DIR"]) ?? "/run/user/\(user)"
            socket = base + "/shared/control.sock"
            socketGroup = nil
        }
    }

    private static func data(_ environment: [String: String]) -> String? {
        if let folder = first(environment["STATE_DIRECTORY"]) { return folder }
        if let base = absolute(environment["XDG_DATA_HOME"]) { return base + "/shared" }
        return absolute(environment["HOME"]).map { $0 + "/.local/share/shared" }
    }

    /// The XDG specification: a path that is not absolute is ignored.
    private static func absolute(_ path: String?) -> String? {
        guard let path, path.hasPrefix("/") else { return nil }
        var trimmed = Substring(path)
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        return String(trimmed)
    }

    /// The service manager lists several folders with colons between them.
    private static func first(_ paths: String?) -> String? {
        absolute(paths?.split(separator: ":").first.map(String.init))
    }
}
