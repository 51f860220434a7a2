internal import ShareControl

/// `shared verify`
enum VerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify", summary: "check every signature, every chain and every table again",
        notes: [
            "Other work goes on meanwhile; Ctrl-C ends it. Each finding says what helps, and with",
            "any the exit code is 1. It needs as much free disk as the room has.",
        ],
        examples: ["shared verify", "shared verify --room clinic --json"],
        interrupted: (
            "nothing was changed, and what was found by then is not told",
            "start it again: shared verify"
        ))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("POST", ["verify"], silence: .seconds(120))
        let answer: VerifyAnswer = try session.work(request, "verifying")
        if session.wantsJSON {
            session.output.line(answer.json)
        } else {
            let what =
                "\(Text.count(answer.batches, "batch", "batches")), "
                + Text.count(answer.records, "record", "records")
            for finding in answer.findings {
                session.output.line(
                    "\(Terminal.plain(finding.place)): \(Terminal.plain(finding.what))")
                if let hint = finding.hint { session.output.line("    \(Terminal.plain(hint))") }
            }
            for fork in answer.forks {
                session.output.line("note: \(Terminal.plain(fork.detail))")
                session.output.line("    \(Terminal.plain(fork.hint))")
            }
            session.output.line(
                answer.ok
                    ? "all is well: \(what), digest \(Terminal.plain(answer.digest))"
                    : "\(Text.count(answer.findings.count, "finding", "findings")) in \(what)")
        }
        return answer.ok ? .done : .failed
    }
}
