internal import Glibc
package import ShareNet

/// The command line of `sharedd`, with its defaults filled in.
package struct DaemonOptions: Sendable, Equatable {
    /// The task that the command line asks for.
    package enum Command: Sendable, Equatable {
        case run(DaemonOptions)
        case help
        case version
    }

    /// The port that is tried first where none is given.
    package static let standardPort: UInt16 = 47117
    /// The variables of the environment that defaults come from.
    package static let variables = [
        "HOME", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    ]
    /// The longest name of a device, in bytes: DNS-SD has room for no more.
    package static let maximumName = 63

    package var data: String
    package var socket: String
    /// The group whose members may use the socket; nil for this user alone.
    package var socketGroup: String?
    /// Where to listen; nil means the standard port or, where it is taken, any other.
    package var listen: Endpoint?
    /// The name that other people see; nil means the host's.
    package var name: String?
    package var peers: [Endpoint] = []
    package var discovers = true
    package var logLevel = LogLevel.notice

    /// Reads the arguments after the program's name.
    ///
    /// - Parameters:
    ///   - environment: the variables of this process.
    ///   - user: the number of this user.
    ///   - config: what a configuration file has in it; nil where there is none.
    /// - Throws: `UsageError` at the first argument that cannot be followed.
    package static func parse(
        _ arguments: [String], environment: [String: String], user: UInt32 = getuid(),
        config: (_ path: String) -> String? = { _ in nil }
    ) throws(UsageError) -> Command {
        var options = try ParsedOptions(arguments)
        if options.wantsHelp { return .help }
        if options.wantsVersion { return .version }
        if let file = DaemonDefaults.config(environment), let text = config(file) {
            options = options.over(try ParsedOptions(config: text, file: file))
        }
        let defaults = DaemonDefaults(environment: environment, user: user)
        guard let data = options.data ?? defaults.data else {
            throw UsageError(
                message: "no data directory: neither XDG_DATA_HOME nor HOME is set",
                hint: "Name one with --data DIR.")
        }
        options.data = data
        return .run(
            DaemonOptions(
                data: data, socket: options.socket ?? defaults.socket,
                socketGroup: options.socket == nil ? defaults.socketGroup : nil,
                listen: options.listen, name: options.name, peers: options.peers,
                discovers: options.discovers, logLevel: options.logLevel ?? .notice))
    }

    /// The text that `--help` prints.
    package static let help = """
        usage: sharedd [--data DIR] [--socket PATH] [--listen ADDR:PORT] [--name NAME]
                       [--peer HOST[:PORT]]... [--no-discovery] [--log-level LEVEL]

        The daemon that finds other devices on the local network and shares entries with them.
        It is controlled with the command `shared`.

          --data DIR           where everything is kept   [$XDG_DATA_HOME/shared]
          --socket PATH        where commands reach it    [$XDG_RUNTIME_DIR/shared/control.sock]
          --listen ADDR:PORT   where devices reach it     [port 47117, or any free one]
          --name NAME          what others see            [the name of this host]
          --peer HOST[:PORT]   a device to connect to; may be repeated
          --no-discovery       do not look for devices, and do not announce this one
          --log-level LEVEL    debug, info, notice, warning or error   [notice]
          --version            print the version
          --help               print this

        These may also stand in ~/.config/shared/config, for a service in
        /etc/shared/sharedd.conf: name = ward-1, listen = 0.0.0.0:47117, log-level = info,
        peers = 10.0.0.1 10.0.0.2, discovery = off. Options win.

        Example: sharedd --data /tmp/ward-1 --socket /tmp/ward-1.sock --name ward-1

        """
}

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

    /// Where the configuration is: of the service in /etc, else of the user.
    static func config(_ environment: [String: String]) -> String? {
        if first(environment["STATE_DIRECTORY"]) != nil { return "/etc/shared/sharedd.conf" }
        if let base = absolute(environment["XDG_CONFIG_HOME"]) { return base + "/shared/config" }
        return absolute(environment["HOME"]).map { $0 + "/.config/shared/config" }
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
