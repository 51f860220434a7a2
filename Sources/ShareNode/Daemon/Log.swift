internal import Glibc

/// Writes one line for each event to standard error: `level message key=value …`.
///
/// Lines never hold contents of records, keys or codes: that is up to the caller.
package struct Log: Sendable {
    /// A name and a value that follow the message.
    package typealias Fields = KeyValuePairs<String, any CustomStringConvertible & Sendable>

    package let level: LogLevel
    /// Whether lines begin with a priority, as the journal reads them.
    private let hasPriorities: Bool
    private let write: @Sendable (String) -> Void

    /// A log on standard error. Lines below `level` are not written.
    package init(level: LogLevel) {
        self.init(level: level, hasPriorities: getenv("JOURNAL_STREAM") != nil) { line in
            Log.writeAll(Array(line.utf8))
        }
    }

    /// A log that hands each line, ended by a newline, to `write`.
    package init(
        level: LogLevel, hasPriorities: Bool, write: @escaping @Sendable (String) -> Void
    ) {
        self.level = level
        self.hasPriorities = hasPriorities
        self.write = write
    }

    package func debug(_ message: @autoclosure () -> String, _ fields: Fields = [:]) {
        log(.debug, message(), fields)
    }

    package func info(_ message: @autoclosure () -> String, _ fields: Fields = [:]) {
        log(.info, message(), fields)
    }

    package func notice(_ message: @autoclosure () -> String, _ fields: Fields = [:]) {
        log(.notice, message(), fields)
    }

    package func warning(_ message: @autoclosure () -> String, _ fields: Fields = [:]) {
        log(.warning, message(), fields)
    }

    package func error(_ message: @autoclosure () -> String, _ fields: Fields = [:]) {
        log(.error, message(), fields)
    }

    private func log(_ level: LogLevel, _ message: @autoclosure () -> String, _ fields: Fields) {
        guard level >= self.level else { return }
        var line = hasPriorities ? "<\(level.priority)>" : ""
        line += level.name + " "
        // A message is words of ours; a newline within it would begin a forged line all the same.
        Log.appendEscaped(message(), to: &line)
        for (name, value) in fields {
            line += " \(name)="
            Log.append(value.description, to: &line)
        }
        line += "\n"
        write(line)
    }

    /// Values with anything but plain visible characters are quoted.
    private static func append(_ value: String, to line: inout String) {
        let isPlain =
            !value.isEmpty
            && value.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "\\")
            }
        if isPlain {
            line += value
            return
        }
        line += "\""
        appendEscaped(value, to: &line, quotes: true)
        line += "\""
    }

    private static func appendEscaped(
        _ text: String, to line: inout String, quotes: Bool = false
    ) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            case "\"" where quotes: line += "\\\""
            case "\\" where quotes: line += "\\\\"
            // Control characters, and those that turn or break lines on a terminal.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}",
                "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                line += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    /// One `write` for a line, so that lines of several threads do not mix.
    private static func writeAll(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                // A log that cannot be written must not stop the daemon.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// How much a line of the log matters.
package enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    case debug
    case info
    case notice
    case warning
    case error

    /// The level of a name as it is written on the command line; nil if there is none.
    package init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The priority of syslog(3).
    var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
