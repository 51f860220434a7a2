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
