internal import ControlClient
internal import ShareControl

/// `shared comment`
enum CommentCommand: Command {
    static let syntax = CommandSyntax(
        name: "comment", summary: "add a remark to an entry, which changes nothing in it",
        operands: [EntryOperand.operand, .init(name: "TEXT")],
        notes: EntryOperand.note + ["shared show and shared history show it."],
        examples: ["shared comment 7f3c9a12 'seen again on Tuesday'"],
        look: EntryOperand.lookBeforeLast)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let words = session.arguments.operands
        let request = EntryOperand(words.dropLast()).request(
            session, "POST", ["comments"],
            body: .value(CommentRequest(text: words.last ?? "")))
        try session.answer(request, as: RemarkAnswer.self) { answer in
            session.output.line("commented on \(Text.entry(answer.form, answer.key, answer.id))")
        }
        return .done
    }
}
