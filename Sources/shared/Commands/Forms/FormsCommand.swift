internal import ShareControl

/// `shared forms`
enum FormsCommand: Command {
    static let syntax = CommandSyntax(
        name: "forms", summary: "the forms of a room", examples: ["shared forms"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        try session.answer(session.request("GET", ["forms"]), as: [FormAnswer].self) { forms in
            guard !forms.isEmpty else {
                return session.output.line("no form yet: shared form add FILE")
            }
            var table = Table(["FORM", "TITLE", "VERSION", "ENTRIES"], prose: [1])
            for form in forms {
                table.add([form.formID, form.title, form.version, Text.number(form.records)])
            }
            table.write(to: session.output)
            for form in forms.compactMap(\.parallel) {
                session.diagnostics.note(ParallelFormText.line(form))
            }
        }
        return .done
    }
}
