internal import ControlClient
internal import ShareControl

/// `shared add`
enum AddCommand: Command {
    static let syntax = CommandSyntax(
        name: "add", summary: "make an entry; without values it asks for them",
        operands: [
            .init(name: "FORM", count: .optional), .init(name: "FIELD=VALUE", count: .any),
        ],
        options: [
            .init(
                name: "--language", value: "LANGUAGE",
                help: "of questions and errors, as the form has"),
            .init(name: "--draft", value: "ID", help: "go on with what was begun, by id or key"),
            .init(name: "--ask", help: "ask also where no terminal is: one answer a line"),
        ],
        notes: [
            "On a terminal `shared add FORM` asks question by question: a number or some letters",
            "pick a choice, Enter keeps what stands in [ ] or leaves a question open, < goes back,",
            "? explains, - empties, \" answers as in the entry before. Ctrl-C keeps a draft.",
            "With values, and in scripts: several choices are separated by commas. The entry is on",
            "disk when the command ends, and goes to others with `shared push`.",
        ],
        examples: [
            "shared add common-viruses",
            "shared add common-viruses Virus_Number=412 Virus_Name=Measles Patient_ID=852",
        ],
        look: { arguments in
            "shared list "
                + arguments.operands.prefix(2).map(Shell.quoted).joined(separator: " ")
        })

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        let words = arguments.operands
        if let id = arguments.value("--draft") {
            guard words.count < 2 else {
                throw syntax.problem("--draft goes on with what was begun: it takes no values")
            }
            let draft = try DraftFolder().find(id, of: words.first)
            return try EntryDialog(session, form: draft.form, draft: draft).run()
        }
        guard let form = words.first else { throw try formIsMissing(session) }
        if words.count == 1, arguments.has("--ask") || DialogTerminal.canAsk {
            return try EntryDialog(session, form: form).run()
        }
        guard !arguments.has("--ask") else {
            throw syntax.problem("--ask asks for the values: give no FIELD=VALUE")
        }
        let values = try Assignments.nested(try Assignments.parse(words.dropFirst(), of: syntax))
        let request = session.request(
            "POST", ["records", form], query: arguments.language,
            body: .value(ValuesRequest(values: values)))
        try session.answer(request, as: AddedAnswer.self) { answer in
            session.output.line("added \(Text.entry(answer.form, answer.key, answer.id))")
        }
        return .done
    }

    /// Names the forms that there are.
    private static func formIsMissing(_ session: Session) throws(Problem) -> Problem {
        let forms: [FormAnswer] = try session.client().answer(session.request("GET", ["forms"]))
        guard let first = forms.first else {
            return Problem(
                .usage, "add: FORM is missing, and there is none yet",
                hint: "Add one: `shared form add FILE`.")
        }
        return Problem(
            .usage, "add: FORM is missing",
            hint: "There \(forms.count == 1 ? "is" : "are")"
                + " \(Text.list(forms.prefix(10).map { Terminal.plain($0.formID) })):"
                + " `shared add \(Shell.quoted(first.formID))`.")
    }
}
