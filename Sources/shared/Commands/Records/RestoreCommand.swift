internal import ShareControl

/// `shared restore`
enum RestoreCommand: Command {
    static let syntax = CommandSyntax(
        name: "restore", summary: "bring back a deleted entry",
        operands: [EntryOperand.operand],
        notes: EntryOperand.note + [
            "shared watch, and shared history of its ID, tell that it was deleted and by whom."
        ],
        examples: ["shared restore 7f3c9a12"],
        look: EntryOperand.look)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = EntryOperand(session.arguments.operands)
            .request(session, "POST", ["restore"])
        try session.answer(request, as: RemarkAnswer.self) { answer in
            session.output.line("\(Text.entry(answer.form, answer.key, answer.id)) is back")
        }
        return .done
    }
}
