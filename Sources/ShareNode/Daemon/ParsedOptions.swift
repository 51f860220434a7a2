import ShareFormats
import ShareNet

/// The arguments of `sharedd` as they were given.
struct ParsedOptions {
    var data: String?
    var socket: String?
    var listen: Endpoint?
    var name: String?
    var peers: [Endpoint] = []
    var discovers = true
    var logLevel: LogLevel?
    var wantsHelp = false
    var wantsVersion = false

    private static let seeHelp = "sharedd --help lists the options"

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            let (option, attached) = ParsedOptions.split(argument)
            guard option == "--peer" || seen.insert(option).inserted else {
                throw UsageError(
                    message: "\(option) is given twice", hint: "Leave one of them out.")
            }
            try apply(option, attached, &rest)
        }
    }

    /// The options of a configuration file: lines of `name`, `listen`, `peers`, `discovery` and
    /// `log-level`, with their values after a `=`; `#` begins a comment.
    init(config text: String, file: String) throws(UsageError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let bare = Self.trimmed(line.prefix { $0 != "#" })
            guard !bare.isEmpty else { continue }
            let parts = bare.split(separator: "=", maxSplits: 1).map { Self.trimmed($0) }
            let position = "line \(index + 1) of \(file)"
            guard parts.count == 2, !parts[1].isEmpty else {
                throw UsageError(
                    message: "\(position) is not of the form KEY = VALUE",
                    hint: "For example: name = ward-1")
            }
            do throws(UsageError) {
                try set(parts[0], parts[1])
            } catch {
                throw UsageError(message: "\(error.message), in \(position)", hint: error.hint)
            }
        }
    }

    private mutating func set(_ key: String, _ value: String) throws(UsageError) {
        var none: ArraySlice<String> = []
        switch key {
        case "name", "listen", "log-level": try apply("--\(key)", value, &none)
        case "peers":
            for peer in value.split(whereSeparator: { $0 == " " || $0 == "," }) {
                try apply("--peer", String(peer), &none)
            }
        case "discovery":
            guard value == "on" || value == "off" else {
                throw UsageError(
                    message: "discovery is on or off, not \(value)", hint: "discovery = off")
            }
            discovers = value == "on"
        default:
            throw UsageError(
                message: "unknown key \(key)",
                hint: "Keys are name, listen, peers, discovery and log-level.")
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" {
            text.removeLast()
        }
        return String(text)
    }

    /// These options, and where they say nothing those of the file.
    func over(_ file: ParsedOptions) -> ParsedOptions {
        var options = self
        options.name = name ?? file.name
        options.listen = listen ?? file.listen
        if peers.isEmpty { options.peers = file.peers }
        options.discovers = discovers && file.discovers
        options.logLevel = logLevel ?? file.logLevel
        return options
    }

    private mutating func apply(
        _ option: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        switch option {
        case "--data": data = try ParsedOptions.path(option, attached, &rest)
        case "--socket": socket = try ParsedOptions.socket(option, attached, &rest)
        case "--listen":
            let text = try ParsedOptions.value(option, attached, &rest)
            // Port 0 lets the system choose, for tests.
            listen = try ParsedOptions.address(
                text.hasPrefix(":") ? "*" + text : text, of: option, "for example 0.0.0.0:47117")
        case "--name":
            name = try ParsedOptions.name(ParsedOptions.value(option, attached, &rest))
        case "--peer":
            let text = try ParsedOptions.value(option, attached, &rest)
            let example = "for example 192.168.1.20, or 192.168.1.20:47117"
            let peer = try ParsedOptions.peer(text, of: option, example)
            guard peer.port != 0 else {
                throw UsageError(message: "\(text) is not a device's address", hint: example)
            }
            peers.append(peer)
        case "--log-level":
            let text = try ParsedOptions.value(option, attached, &rest)
            guard let level = LogLevel(name: text) else {
                throw UsageError(
                    message: "\(text) is not a log level",
                    hint: "Use debug, info, notice, warning or error.")
            }
            logLevel = level
        case "--no-discovery": discovers = try !ParsedOptions.flag(option, attached)
        case "--help", "-h": wantsHelp = try ParsedOptions.flag(option, attached)
        case "--version": wantsVersion = try ParsedOptions.flag(option, attached)
        default:
            let kind = option.hasPrefix("-") ? "unknown option" : "unexpected argument"
            let near = Suggestion.nearest(to: option, among: ParsedOptions.all)
            throw UsageError(
                message: "\(kind): \(option)",
                hint: near.map { "Did you mean \($0)?" } ?? ParsedOptions.seeHelp)
        }
    }

    private static let all = [
        "--data", "--socket", "--listen", "--name", "--peer", "--log-level", "--no-discovery",
        "--help", "--version",
    ]

    /// A device's address; without a port it is the usual one.
    private static func peer(
        _ text: String, of option: String, _ example: String
    ) throws(UsageError) -> Endpoint {
        let isBare = !text.contains(":") || text.hasPrefix("[") && text.hasSuffix("]")
        return try address(
            isBare ? "\(text):\(DaemonOptions.standardPort)" : text, of: option, example)
    }

    /// Parts `--name=value`.
    private static func split(_ argument: String) -> (option: String, attached: String?) {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private static func value(
        _ option: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let found = attached ?? (rest.first?.hasPrefix("--") == true ? nil : rest.popFirst())
        guard let found, !found.isEmpty else {
            throw UsageError(message: "\(option) needs a value", hint: seeHelp)
        }
        return found
    }

    private static func flag(_ option: String, _ attached: String?) throws(UsageError) -> Bool {
        guard attached == nil else {
            throw UsageError(message: "\(option) takes no value", hint: seeHelp)
        }
        return true
    }

    private static func path(
        _ option: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let path = try value(option, attached, &rest)
        // An argument from the shell cannot hold one, but one from elsewhere would be cut there.
        guard !path.utf8.contains(0) else {
            throw UsageError(message: "\(option) holds a NUL byte", hint: "Use another path.")
        }
        return path
    }

    private static func socket(
        _ option: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let path = try path(option, attached, &rest)
        let length = path.utf8.count
        guard length <= ControlSocket.maximumPath else {
            let error = ControlSocketError.pathTooLong(path: path, bytes: length)
            throw UsageError(message: error.description, hint: error.hint)
        }
        return path
    }

    private static func address(
        _ text: String, of option: String, _ example: String
    ) throws(UsageError) -> Endpoint {
        guard let address = Endpoint(text: text) else {
            throw UsageError(
                message: "\(option) \(text) is not an address with a port", hint: example)
        }
        return address
    }

    private static func name(_ text: String) throws(UsageError) -> String {
        let length = text.utf8.count
        guard length <= DaemonOptions.maximumName else {
            throw UsageError(
                message: "the name is \(length) bytes long; at most "
                    + "\(DaemonOptions.maximumName) are possible",
                hint: "Choose a shorter name.")
        }
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        guard isPrintable else {
            throw UsageError(
                message: "the name holds characters that cannot be shown",
                hint: "Use letters, digits, spaces and signs.")
        }
        return text
    }
}

/// A command line that cannot be followed.
package struct UsageError: Error, Sendable, Equatable {
    package static let exitCode: Int32 = 2

    /// The mistake.
    package let message: String
    /// The remedy.
    package let hint: String

    /// The two lines for standard error.
    package var lines: String {
        "sharedd: error: \(message)\nsharedd: hint: \(hint)\n"
    }
}
