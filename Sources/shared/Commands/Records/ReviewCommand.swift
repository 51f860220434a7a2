internal import ControlClient
internal import ShareControl

/// `shared review`
enum ReviewCommand: Command {
    static let syntax = CommandSyntax(
        name: "review", summary: "say what a review found of an entry",
        operands: [EntryOperand.operand, .init(name: "STATE")],
        options: [.init(name: "--comment", value: "TEXT", help: "what there is to say")],
        notes: EntryOperand.note + [
            "STATE is one of \(ReviewState.allCases.map(\.rawValue).joined(separator: ", ")).",
            "Reviewers, editors and owners review.",
        ],
        examples: [
            "shared review 7f3c9a12 approved",
            "shared review 7f3c9a12 hasIssues --comment 'the date is missing'",
        ],
        look: EntryOperand.lookBeforeLast)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let words = session.arguments.operands
        let request = EntryOperand(words.dropLast()).request(
            session, "POST", ["reviews"],
            body: .value(
                ReviewRequest(
                    state: words.last ?? "",
                    comment: session.arguments.value("--comment"))))
        try session.answer(request, as: RemarkAnswer.self) { answer in
            let state = Terminal.plain(answer.state ?? "")
            session.output.line("\(Text.entry(answer.form, answer.key, answer.id)): \(state)")
        }
        return .done
    }
}
