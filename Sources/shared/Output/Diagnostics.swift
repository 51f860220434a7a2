internal import JSON
internal import ShareControl
import Glibc

/// What goes to standard error: problems, hints and notes.
struct Diagnostics {
    /// What stands before what went wrong.
    private static let error = "shared: error: "
    /// Most places of a file that are listed one by one.
    private static let listedErrors = 10
    /// So many of them a daemon tells at most.
    private static let toldErrors = 100

    let asJSON: Bool
    /// The answer, of which all that there is stands before what is said here.
    var output: Output?
    /// On a terminal nobody needs to be told which program speaks.
    private let prefix = isatty(STDERR_FILENO) == 1 ? "" : "shared: note: "

    init(asJSON: Bool, output: Output? = nil) {
        self.asJSON = asJSON
        self.output = output
    }

    func report(_ problem: Problem) {
        if asJSON { return write(String(decoding: problem.jsonText, as: UTF8.self)) }
        write(Self.error + Terminal.plain(problem.detail))
        // The one place that the detail names already is not said twice.
        let errors = problem.errors.filter { !problem.detail.contains(Self.sentence($0)) }
            .map(Self.text)
        for error in errors.prefix(Self.listedErrors) { write(Self.error + error) }
        let more = errors.count - Self.listedErrors
        if more > 0 {
            let isAll = problem.errors.count < Self.toldErrors
            write("\(Self.error)and \(isAll ? Text.count(more, "more", "more") : "more")")
        }
        for one in problem.problems where !problem.detail.contains(one.message) {
            let hint = one.hint.map { ". \($0)" } ?? ""
            write(Self.error + Terminal.plain(one.line + hint))
        }
        if let hint = problem.hint { write("shared: hint: \(Terminal.plain(hint))") }
    }

    /// Says something that is neither the answer nor a problem.
    func note(_ text: String) {
        if !asJSON { noteAlways(text) }
    }

    /// The same, also beside an answer in JSON.
    func noteAlways(_ text: String) { write(prefix + Terminal.plain(text)) }

    static func text(_ error: RowError) -> String {
        let hint = error.hint.map { $0.isEmpty ? "" : ". \($0)" } ?? ""
        // What is said of the whole file.
        guard error.line > 0 else { return Terminal.plain(error.reason + hint) }
        let column = error.column.map { ", column \($0)" } ?? ""
        return Terminal.plain("line \(error.line)\(column): \(error.reason)\(hint)")
    }

    /// The same as a part of a longer sentence.
    static func sentence(_ error: RowError) -> String {
        let text = text(error)
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private func write(_ line: String) {
        output?.flush()
        var lines = isatty(STDERR_FILENO) == 1 ? Terminal.wrap(line, Terminal.columns) : [line]
        if !asJSON, lines[0].hasPrefix(Self.error) {
            let lead = Style.red(
                String(Self.error.dropLast()), if: Style.isShownWithErrors)
            lines[0] = lead + lines[0].dropFirst(Self.error.count - 1)
        }
        var line = lines.joined(separator: "\n") + "\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(STDERR_FILENO, part.baseAddress, part.count)
                if count < 0, errno != EINTR { return }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}

/// How far long work is: on a terminal only, and only after a second.
final class Progress {
    private let what: String
    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?
    private var width = 0

    init(_ what: String) { self.what = what }

    /// - Parameter lacking: what others lack meanwhile.
    func show(_ done: Int, _ total: Int?, _ lacking: String? = nil) {
        let now = ContinuousClock.now
        guard isOnTerminal, now - start > .seconds(1), total != 0 || lacking != nil,
            lastShown.map({ now - $0 > .milliseconds(100) }) ?? true
        else { return }
        lastShown = now
        let of = total.map { " of \(Text.number($0))" } ?? ""
        let own = total == 0 ? nil : "\(what): \(Text.number(done))\(of)"
        let others = lacking.map { Terminal.plain($0) }
        let line = Terminal.cut(
            [own, others].compactMap { $0 }.joined(separator: "; "), Terminal.columns - 1)
        let columns = Terminal.width(line)
        write("\r" + line + String(repeating: " ", count: max(0, width - columns)))
        width = max(width, columns)
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
