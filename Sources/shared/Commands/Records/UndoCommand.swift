internal import ControlClient
internal import ShareControl

/// `shared undo`
enum UndoCommand: Command {
    static let syntax = CommandSyntax(
        name: "undo", summary: "take back your last change of an entry",
        operands: [EntryOperand.operand],
        notes: EntryOperand.note + [
            "It is a new change, which others get as any: the fields that you changed last have",
            "the values again that they had before, but for those that somebody has changed since.",
            "An entry that you deleted comes back; one that you brought back is deleted. Once more",
            "takes that back. An entry that you made, and did not change, is for shared delete.",
        ],
        examples: ["shared undo 7f3c9a12", "shared undo household KOR-200"],
        look: EntryOperand.look)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = EntryOperand(session.arguments.operands).request(session, "POST", ["undo"])
        try session.answer(request, as: UndoneAnswer.self) { answer in
            let name = Text.entry(answer.form, answer.key, answer.id)
            switch answer.deleted {
            case true?: session.output.line("deleted \(name) again")
            case false?: session.output.line("\(name) is back")
            case nil:
                session.output.line("took back your last change of \(name)")
                for change in answer.changes {
                    let field = Terminal.plain(change.field)
                    session.output.line("    \(field): \(Text.change(change))")
                }
            }
            if !answer.left.isEmpty {
                let fields = Terminal.plain(Text.list(answer.left))
                session.diagnostics.note("changed since, and left as it is: \(fields)")
            }
        }
        return .done
    }
}
