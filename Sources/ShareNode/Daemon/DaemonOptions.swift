internal import Glibc

/// The command line of `sharedd`, with its defaults filled in.
package struct DaemonOptions: Sendable, Equatable {
    /// What the command line asks for.
    package enum Command: Sendable, Equatable {
        case run(DaemonOptions)
        case help
        case version
    }

    /// The port that is tried first where none is given.
    package static let standardPort: UInt16 = 47117
    /// The variables of the environment that defaults come from.
    package static let variables = [
        "HOME", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    ]
    /// The longest name of a device, in bytes: DNS-SD has room for no more.
    package static let maximumName = 63

    package var data: String
    package var socket: String
    /// The group whose members may use the socket; nil for this user alone.
    package var socketGroup: String?
    /// Where to listen; nil means the standard port or, where it is taken, any other.
    package var listen: NetworkAddress?
    /// The name that other people see; nil means the host's.
    package var name: String?
    package var peers: [NetworkAddress] = []
    package var discovers = true
    package var logLevel = LogLevel.notice

    /// Reads the arguments after the program's name.
    ///
    /// - Parameters:
    ///   - environment: the variables of this process.
    ///   - user: the number of this user.
    /// - Throws: `UsageError` at the first argument that cannot be followed.
    package static func parse(
        _ arguments: [String], environment: [String: String], user: UInt32 = getuid()
    ) throws(UsageError) -> Command {
        var options = try ParsedOptions(arguments)
        if options.wantsHelp { return .help }
        if options.wantsVersion { return .version }
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
                discovers: options.discovers, logLevel: options.logLevel))
    }

    /// What `--help` prints.
    package static let help = """
        usage: sharedd [--data DIR] [--socket PATH] [--listen ADDR:PORT] [--name NAME]
                       [--peer HOST:PORT]... [--no-discovery] [--log-level LEVEL]

        The daemon that finds other devices on the local network and shares entries with them.
        It is controlled with the command `shared`.

          --data DIR           where everything is kept   [$XDG_DATA_HOME/shared]
          --socket PATH        where commands reach it    [$XDG_RUNTIME_DIR/shared/control.sock]
          --listen ADDR:PORT   where devices reach it     [port 47117, or any free one]
          --name NAME          what others see            [the name of this host]
          --peer HOST:PORT     a device to connect to; may be repeated
          --no-discovery       do not look for devices, and do not announce this one
          --log-level LEVEL    debug, info, notice, warning or error   [notice]
          --version            print the version
          --help               print this

        Example: sharedd --data /tmp/ward-1 --socket /tmp/ward-1.sock --name ward-1

        """
}
