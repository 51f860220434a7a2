import Glibc
import Synchronization

/// Says on a terminal what a command waits for, once that takes longer than a moment.
final class Waiting: Sendable {
    private enum State {
        case quiet
        case shown(width: Int)
        case over
    }

    private let state = Mutex(State.quiet)

    /// Shorter waits are not noticed.
    private static let moment = Duration.milliseconds(500)

    /// - Parameter what: what the others are doing: `telling the members`.
    init(_ what: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // The request itself keeps the main thread.
        Task.detached { [self] in
            try? await Task.sleep(for: Self.moment)
            state.withLock { state in
                guard case .quiet = state else { return }
                let line = Terminal.cut(what + Terminal.dots, Terminal.columns - 1)
                Self.write(line)
                state = .shown(width: Terminal.width(line))
            }
        }
    }

    /// Takes the line away again.
    func end() {
        state.withLock { state in
            if case .shown(let width) = state {
                Self.write("\r" + String(repeating: " ", count: width) + "\r")
            }
            state = .over
        }
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
