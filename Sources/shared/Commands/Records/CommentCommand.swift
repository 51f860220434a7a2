internal import ControlClient
internal import ShareControl

/// `shared comment`
enum CommentCommand: Command {
    static let syntax = CommandSyntax(
        name: "comment", summary: "add a remark to an entry, which changes nothing in it",
        operands: [.init(name: "ID"), .init(name: "TEXT")],
        notes: ["shared show and shared history show it."],
        examples: ["shared comment 7f3c9a12 'seen again on Tuesday'"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request(
            "POST", ["record", session.arguments.operand(0), "comments"],
            body: .value(CommentRequest(text: session.arguments.operand(1))))
        try session.answer(request, as: RemarkAnswer.self) { answer in
            session.output.line("commented on entry \(Terminal.plain(answer.id))")
        }
        return .done
    }
}
