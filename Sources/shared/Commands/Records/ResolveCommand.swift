internal import ControlClient
internal import ShareControl

/// `shared resolve`
enum ResolveCommand: Command {
    static let syntax = CommandSyntax(
        name: "resolve", summary: "resolve a conflict, for every device",
        operands: [EntryOperand.operand, .init(name: "FIELD=VALUE", count: .any)],
        options: [
            .init(
                name: "--keep", value: "shown|other",
                help: "keep what shows, or take the one other value, in all other fields")
        ],
        notes: EntryOperand.note + [
            "It is an ordinary edit that has seen all values; none is lost: shared history.",
            "An entry that was deleted beside an edit comes back with --keep other or with",
            "values, and stays deleted with --keep shown.",
        ],
        examples: [
            "shared resolve 7f3c9a12 Recovery_Status=85%", "shared resolve 7f3c9a12 --keep shown",
        ],
        look: EntryOperand.look)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let (entry, assignments) = EntryOperand.split(session.arguments.operands)
        var keep: ResolveRequest.Side?
        if let word = session.arguments.value("--keep") {
            keep = ResolveRequest.Side(rawValue: word)
            guard keep != nil else {
                throw syntax.problem(
                    "--keep is shown or other, not '\(Terminal.plain(word))'")
            }
        }
        guard !assignments.isEmpty || keep != nil else {
            throw syntax.problem("it needs FIELD=VALUE, or --keep shown, or --keep other")
        }
        let values = try Assignments.parse(assignments, of: syntax)
        let request = entry.request(
            session, "POST", ["resolve"],
            body: .value(ResolveRequest(values: values, keep: keep)))
        try session.answer(request, as: ResolvedAnswer.self) { answer in
            let name = Text.entry(answer.form, answer.key, answer.id)
            var done: [String] = []
            if let deleted = answer.deleted {
                done.append(deleted ? "it is deleted" : "it is back")
            }
            if !answer.changed.isEmpty {
                done.append("\(Terminal.plain(Text.list(answer.changed))) resolved")
            }
            session.output.line("\(name): \(Text.list(done))")
            if !answer.left.isEmpty {
                let left = Terminal.plain(Text.list(answer.left))
                session.diagnostics.note("still in conflict: \(left)")
            }
        }
        return .done
    }
}
