import Glibc

/// How far long work is: on a terminal only, and only after a second.
final class Progress {
    private let what: String
    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?
    private var width = 0

    init(_ what: String) { self.what = what }

    func show(_ done: Int, _ total: Int?) {
        let now = ContinuousClock.now
        guard isOnTerminal, now - start > .seconds(1),
            lastShown.map({ now - $0 > .milliseconds(100) }) ?? true
        else { return }
        lastShown = now
        let of = total.map { " of \(Text.number($0))" } ?? ""
        let line = "\(what): \(Text.number(done))\(of)"
        write("\r" + line + String(repeating: " ", count: max(0, width - line.count)))
        width = max(width, line.count)
    }

    /// Takes the line away again.
    func clear() {
        guard width > 0 else { return }
        write("\r" + String(repeating: " ", count: width) + "\r")
        width = 0
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
