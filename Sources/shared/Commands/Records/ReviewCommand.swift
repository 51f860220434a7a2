internal import ControlClient
internal import ShareControl

/// `shared review`
enum ReviewCommand: Command {
    static let syntax = CommandSyntax(
        name: "review", summary: "say what a review found of an entry",
        operands: [.init(name: "ID"), .init(name: "STATE")],
        options: [.init(name: "--comment", value: "TEXT", help: "what there is to say")],
        notes: [
            "STATE is one of \(ReviewState.allCases.map(\.rawValue).joined(separator: ", ")).",
            "Reviewers, editors and owners review.",
        ],
        examples: [
            "shared review 7f3c9a12 approved",
            "shared review 7f3c9a12 hasIssues --comment 'the date is missing'",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request(
            "POST", ["record", session.arguments.operand(0), "reviews"],
            body: .value(
                ReviewRequest(
                    state: session.arguments.operand(1),
                    comment: session.arguments.value("--comment"))))
        try session.answer(request, as: RemarkAnswer.self) { answer in
            let state = Terminal.plain(answer.state ?? "")
            session.output.line("entry \(Terminal.plain(answer.id)): \(state)")
        }
        return .done
    }
}
