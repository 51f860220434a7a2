internal import ControlClient
internal import ShareControl

/// `shared edit`
enum EditCommand: Command {
    static let syntax = CommandSyntax(
        name: "edit", summary: "change fields of an entry",
        operands: [.init(name: "ID"), .init(name: "FIELD=VALUE", count: .atLeastOne)],
        notes: [
            "FIELD= clears the field; a field that is not named is not touched.",
            "The last 8 characters of an ID are enough where no other entry ends alike.",
        ],
        examples: ["shared edit 7f3c9a12 Recovery_Status=85%"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let words = session.arguments.operands
        let values = try Assignments.parse(words.dropFirst(), of: syntax)
        let request = session.request(
            "PATCH", ["record", session.arguments.operand(0)],
            body: .value(ValuesRequest(values: values)))
        try session.answer(request, as: EditedAnswer.self) { answer in
            let id = Terminal.plain(answer.id)
            session.output.line(
                answer.changed.isEmpty
                    ? "entry \(id) has these values already"
                    : "changed \(Terminal.plain(Text.list(answer.changed))) of entry \(id)")
        }
        return .done
    }
}
