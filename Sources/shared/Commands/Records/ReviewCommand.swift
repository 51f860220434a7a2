internal import ControlClient
internal import ShareControl

/// `shared review`
enum ReviewCommand: Command {
    static let syntax = CommandSyntax(
        name: "review", summary: "say what a review found of an entry",
        operands: [EntryOperand.operand, .init(name: "STATE")],
        options: [.init(name: "--comment", value: "TEXT", help: "what there is to say")],
        notes: EntryOperand.noteOfSeveral + [
            "STATE is one of \(ReviewState.allCases.map(\.rawValue).joined(separator: ", ")).",
            "Reviewers, editors and owners review.",
        ],
        examples: [
            "shared review 7f3c9a12 approved",
            "shared review household KOR-200 KOR-201 approved",
            "shared review 7f3c9a12 hasIssues --comment 'the date is missing'",
        ],
        look: EntryOperand.lookBeforeLast)

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let words = session.arguments.operands
        let body = ReviewRequest(
            state: words.last ?? "", comment: session.arguments.value("--comment"))
        for entry in try EntryOperand.allFound(words.dropLast(), session) {
            let request = entry.request(session, "POST", ["reviews"], body: .value(body))
            try session.answer(request, as: RemarkAnswer.self) { answer in
                let state = Terminal.plain(answer.state ?? "")
                session.output.line(
                    "\(Text.entry(answer.form, answer.key, answer.id)): \(state)")
            }
        }
        return .done
    }
}
