internal import ShareControl

/// What the process ends with; a contract with scripts.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case notReachable = 3

    /// The exit code of a command that ended with this problem.
    ///
    /// What no device and no room could make right is a mistake in the command, whether the command
    /// line finds it or the daemon.
    init(_ code: ErrorCode) {
        switch code {
        case .usage, .socketPathTooLong, .badRequest, .badName, .badCode: self = .usage
        case .daemonNotReachable, .permissionDenied: self = .notReachable
        default: self = .failed
        }
    }
}
