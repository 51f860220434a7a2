internal import ShareControl

/// `shared delete`
enum DeleteCommand: Command {
    static let syntax = CommandSyntax(
        name: "delete", summary: "delete an entry, here and with the next push everywhere",
        operands: [.init(name: "ID")],
        notes: ["Its history is kept, and shared restore brings it back."],
        examples: ["shared delete 7f3c9a12"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("DELETE", ["record", session.arguments.operand(0)])
        try session.answer(request, as: EditedAnswer.self) { answer in
            session.output.line("deleted entry \(Terminal.plain(answer.id))")
        }
        return .done
    }
}
