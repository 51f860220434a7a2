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
        let words = session.arguments.operands
        for entry in try EntryOperand.allFound(words, session, exact: true) {
            try entry.exactly(session) { entry throws(Problem) in
                try session.answer(entry.request(session, "DELETE"), as: EditedAnswer.self) {
                    let name = Text.entry($0.form, $0.key, $0.id)
                    session.output.line("deleted \(name)")
                    session.diagnostics.note(
                        "to have it back: shared undo \(Text.shortRecord($0.id))")
                }
            }
        }
        return .done
    }
}
