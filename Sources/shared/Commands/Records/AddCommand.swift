internal import ControlClient
internal import ShareControl

/// `shared add`
enum AddCommand: Command {
    static let syntax = CommandSyntax(
        name: "add", summary: "make an entry",
        operands: [
            .init(name: "FORM"), .init(name: "FIELD=VALUE", count: .any),
        ],
        notes: [
            "With values, and in scripts: several choices are separated by commas. The entry is on",
            "disk when the command ends, and goes to others with `shared push`.",
        ],
        examples: [
            "shared add common-viruses Virus_Number=412 Virus_Name=Chickenpox Patient_ID=852"
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let words = session.arguments.operands
        let form = session.arguments.operand(0)
        let values = try Assignments.parse(words.dropFirst(), of: syntax)
        let request = session.request(
            "POST", ["records", form], body: .value(ValuesRequest(values: values)))
        try session.answer(request, as: AddedAnswer.self) { answer in
            session.output.line("added \(Text.entry(answer.form, answer.key, answer.id))")
        }
        return .done
    }
}
