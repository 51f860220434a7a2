internal import JSON
internal import ShareControl

/// `shared form check`
enum FormCheckCommand: Command {
    static let syntax = CommandSyntax(
        name: "form check", summary: "say what is wrong with a form, without adding it",
        operands: [.init(name: "FILE")], takesRoom: false,
        notes: [
            "FILE is JSON, a workbook (.xlsx), a folder with survey.csv, or Markdown tables.",
            "No daemon is needed. Exit code 1 where the form cannot be added.",
        ],
        examples: ["shared form check survey.xlsx"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
        let source = try FormSource.read(path)
        var answer: JSONObject
        do {
            answer = try FormHelper.ask(["check"], input: source.request)
        } catch {
            throw source.told(error)
        }
        answer["definition"] = nil
        let warnings = source.told((answer["warnings"]?.array ?? []).compactMap(\.string))
        answer["warnings"] = .array(warnings.map { .string($0) })
        if !source.notes.isEmpty { answer["notes"] = .array(source.notes.map { .string($0) }) }
        if session.wantsJSON {
            session.output.line(.object(answer))
            return .done
        }
        func count(_ name: String) -> Int {
            if case .integer(let number)? = answer[name] { Int(number) } else { 0 }
        }
        let id = Terminal.plain(answer["form_id"]?.string ?? "")
        let version = Terminal.plain(answer["version"]?.string ?? "")
        var parts = [Text.count(count("fields"), "field", "fields")]
        let repeats = answer["repeats"]?.array?.count ?? 0
        if repeats > 0 { parts.append(Text.count(repeats, "repeat", "repeats")) }
        if count("lists") > 0 { parts.append(Text.count(count("lists"), "list", "lists")) }
        session.output.line(
            "\(id), version \(version): \(parts.joined(separator: ", ")); it can be added")
        for warning in source.notes + warnings { session.diagnostics.note(warning) }
        return .done
    }
}
