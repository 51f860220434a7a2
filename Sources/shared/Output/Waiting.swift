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

    /// After so long it is said what it may be.
    private static let long = Duration.seconds(3)

    /// - Parameters:
    ///   - what: what the others are doing: `telling the members`.
    ///   - later: what may be the matter where that takes some seconds.
    init(_ what: String, later: String? = nil) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        // The request itself keeps the main thread.
        Task.detached { [self] in
            try? await Task.sleep(for: Self.moment)
            show(what)
            guard let later else { return }
            try? await Task.sleep(for: Self.long - Self.moment)
            show(later)
        }
    }

    private func show(_ what: String) {
        state.withLock { state in
            var before = 0
            switch state {
            case .quiet: break
            case .shown(let width): before = width
            case .over: return
            }
            let line = Terminal.cut(what + Terminal.dots, Terminal.columns - 1)
            let width = Terminal.width(line)
            Self.write("\r" + line + String(repeating: " ", count: max(before - width, 0)))
            state = .shown(width: max(width, before))
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
