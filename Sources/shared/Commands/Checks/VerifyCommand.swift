internal import JSON
internal import ShareControl

/// `shared verify`
enum VerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify", summary: "check every signature, every chain and every table again",
        notes: [
            "What is damaged is told first, then in one line how much follows from it, then what",
            "helps; --json lists all. With any finding the exit code is 1. Other work goes on",
            "meanwhile; Ctrl-C ends it. It needs as much free disk as the room has.",
        ],
        examples: ["shared verify", "shared verify --room clinic --json"],
        interrupted: (
            "interrupted; nothing was changed, and what was found by then is not told",
            "Start it again: `shared verify`."
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("POST", ["verify"], silence: .reading)
        let answer: VerifyAnswer = try session.work(request, "verifying")
        if session.wantsJSON {
            session.output.line(answer.jsonText)
        } else {
            show(answer, session.output)
        }
        return answer.ok ? .done : .failed
    }

    /// Causes that are told one by one.
    private static let shownCauses = 20

    private static func show(_ answer: VerifyAnswer, _ output: Output) {
        let causes = answer.findings.filter { !$0.follows }
        for cause in causes.prefix(shownCauses) { output.text(cause.what) }
        let left = causes.dropFirst(shownCauses).reduce(0) { $0 + $1.count }
        if left > 0 { output.text("and \(Text.number(left)) more: shared verify --json") }
        let followers = answer.findings.filter(\.follows).reduce(0) { $0 + $1.count }
        if followers > 0 {
            let rows = Text.count(
                followers, "row, note or index", "rows, notes and indexes")
            let follow = followers == 1 ? "follows" : "follow"
            output.text(
                causes.isEmpty
                    ? "\(rows) \(followers == 1 ? "is" : "are") not what the batches come to"
                    : "\(rows) that \(follow) from \(causes.count == 1 ? "it" : "them")")
        }
        // What a rebuild does for one finding it does for all of them.
        var hints: [String] = []
        for hint in answer.findings.compactMap(\.hint) where !hints.contains(hint) {
            hints.append(hint)
        }
        for hint in hints
        where !hints.contains(where: { $0 != hint && $0.hasPrefix(hint) }) {
            output.text(hint)
        }
        for fork in answer.forks {
            output.text("note: \(fork.detail)")
            output.text(fork.hint, indent: 4)
        }
        let what =
            "\(Text.count(answer.batches, "batch", "batches")), "
            + Text.count(answer.records, "entry", "entries")
        if answer.ok {
            let digest = String(Terminal.plain(answer.digest).prefix(8))
            output.line("all is well: \(what), digest \(digest)")
        } else if answer.batches > 0 {
            output.line("looked at \(what)")
        }
    }
}
