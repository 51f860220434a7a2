internal import ShareControl

/// `shared conflicts`
enum ConflictsCommand: Command {
    static let syntax = CommandSyntax(
        name: "conflicts", summary: "fields that were changed in parallel, and which value shows",
        notes: ["The value that shows is the same on every device; the others are kept."],
        examples: ["shared conflicts"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["conflicts"])
        try session.answer(request, as: [ConflictAnswer].self) { conflicts in
            guard !conflicts.isEmpty else { return session.diagnostics.note("no conflicts") }
            for conflict in conflicts {
                session.output.line(
                    "\(Terminal.plain(conflict.field)) of \(Terminal.plain(conflict.form)) record "
                        + Terminal.plain(conflict.record))
                session.output.line("    shows  \(text(conflict.winner))")
                for loser in conflict.losers { session.output.line("    kept   \(text(loser))") }
            }
        }
        return .done
    }

    private static func text(_ value: ConflictValue) -> String {
        let text = Terminal.plain(Text.value(value.value))
        let author = Text.name(value.authorName, value.author)
        return "\(text.isEmpty ? "(nothing)" : text)  by \(author), \(Terminal.plain(value.at))"
    }
}
