internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared form add`
enum FormAddCommand: Command {
    static let syntax = CommandSyntax(
        name: "form add", summary: "add a form from a JSON file, or a new version of it",
        operands: [.init(name: "FILE")],
        notes: [
            "FILE - is standard input. Records of older versions stay as they are.",
            "A list that the form names and does not hold is read from lists/NAME.csv beside it.",
        ],
        examples: ["shared form add common-viruses.json"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
        var text = try InputFile(path).contents(limit: ControlLimits.bodyBytes)
        // Some editors put a byte order mark first, which JSON does not have.
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        let form: JSONValue
        do {
            form = try JSONValue(text: text)
        } catch {
            throw notJSON(error, path)
        }
        let lists = path == "-" ? JSONObject() : try ListFiles.read(for: form, beside: path)
        // The file travels as it is, so that its version does not depend on who reads it.
        let body =
            lists.members.isEmpty
            ? text
            : FormRequest(definition: String(decoding: text, as: UTF8.self), listFiles: lists)
                .jsonText
        let request = session.request("POST", ["forms"], body: .json(body))
        try session.answer(request, as: FormAddedAnswer.self) { answer in
            let form =
                "form \(Terminal.plain(answer.formID)), version \(Terminal.plain(answer.version))"
            switch answer.change {
            case "added": session.output.line("added \(form)")
            case "unchanged": session.output.line("\(form) is here already")
            default: session.output.line("updated \(form)")
            }
            if answer.change == "updated", !answer.addedFields.isEmpty {
                session.output.line(
                    "new: " + Terminal.plain(answer.addedFields.joined(separator: ", ")))
            }
            if !answer.removedFields.isEmpty {
                let fields = Terminal.plain(answer.removedFields.joined(separator: ", "))
                session.output.line("no longer asked, values kept: \(fields)")
            }
            answer.warnings.forEach { session.diagnostics.note($0) }
        }
        return .done
    }

    /// Says in which line the text stops being JSON.
    private static func notJSON(_ error: JSONError, _ path: String) -> Problem {
        guard case .malformed(let line, let column, let reason) = error else {
            return Problem(.badForm, "\(path): \(error)")
        }
        return Problem(
            .badForm, "\(path) is not JSON: line \(line), column \(column): \(reason)",
            hint: "Correct the file, then add it again.")
    }
}
