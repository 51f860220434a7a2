internal import ShareControl

/// `shared delete`
enum DeleteCommand: Command {
    static let syntax = CommandSyntax(
        name: "delete", summary: "delete an entry, here and with the next push everywhere",
        operands: [EntryOperand.operand],
        notes: EntryOperand.noteOfSeveral + [
            "Its history is kept, and shared restore brings it back."
        ],
        examples: ["shared delete 7f3c9a12"],
        look: EntryOperand.look)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        for entry in try EntryOperand.allFound(session.arguments.operands, session) {
            try session.answer(entry.request(session, "DELETE"), as: EditedAnswer.self) { answer in
                session.output.line("deleted \(Text.entry(answer.form, answer.key, answer.id))")
                session.diagnostics.note(
                    "to have it back: shared undo \(Text.shortRecord(answer.id))")
            }
        }
        return .done
    }
}
