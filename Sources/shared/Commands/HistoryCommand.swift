internal import ShareControl

/// `shared history`
enum HistoryCommand: Command {
    static let syntax = CommandSyntax(
        name: "history", summary: "who changed what in a record, and when",
        operands: [.init(name: "ID")],
        notes: ["A deleted record is found by its whole id only."],
        examples: ["shared history 7f3c9a12"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["record", session.arguments.operand(0), "history"])
        try session.answer(request, as: [HistoryEntry].self) { entries in
            for entry in entries {
                let author = Text.name(entry.authorName, entry.author)
                let doubt = entry.verified ? "" : ", only here until: shared push"
                session.output.line(
                    "\(Terminal.plain(entry.at))  \(author)  \(Terminal.plain(entry.kind))\(doubt)")
                for member in entry.changed.members {
                    let values = member.value.array ?? []
                    let before = text(values.first)
                    let after = text(values.dropFirst().first)
                    session.output.line("    \(Terminal.plain(member.key)): \(before) -> \(after)")
                }
            }
        }
        return .done
    }

    private static func text(_ value: JSONValue?) -> String {
        let text = Terminal.plain(Text.value(value))
        return text.isEmpty ? "(nothing)" : text
    }
}
