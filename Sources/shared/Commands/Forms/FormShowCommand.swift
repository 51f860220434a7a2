internal import JSON
internal import ShareControl

/// `shared form show`
enum FormShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "form show", summary: "the fields of a form", operands: [.init(name: "FORM")],
        notes: ["With --json: the definition, as `shared form add` takes it."],
        examples: ["shared form show common-viruses"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["forms", session.arguments.operand(0)])
        try session.answer(request, as: JSONObject.self) { definition in
            let form = FormOutline(definition)
            let output = session.output
            output.line("form     \(Terminal.plain(form.id))")
            output.line("title    \(Terminal.plain(form.title))")
            output.line("version  \(Terminal.plain(form.version))")
            output.line("")
            var table = Table(["FIELD", "TYPE", "REQUIRED", "LABEL"])
            for field in form.fields {
                table.add([
                    field.name, field.list.map { "\(field.type) \($0)" } ?? field.type,
                    field.isRequired ? "yes" : "", field.label,
                ])
            }
            table.write(to: output)
        }
        return .done
    }
}
