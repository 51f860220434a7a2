internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared lists add`
enum ListsAddCommand: Command {
    static let syntax = CommandSyntax(
        name: "lists add", summary: "add a list of choices, or a new version of it",
        operands: [.init(name: "FILE.csv")],
        options: [
            .init(name: "--name", value: "LIST", help: "its name; else that of the file"),
            .init(name: "--dry-run", help: "say what it would do, and do nothing"),
        ],
        notes: [
            "FILE has a column name, which is stored, label or label::LANGUAGE, which people read,",
            "and columns of its own: choice_filter of a form names them. What is in FILE takes the",
            "place of all that the list had. Of a file with a column list_name the rows of LIST",
            "are taken.",
        ],
        examples: ["shared lists add village.csv", "shared lists add itemsets.csv --name village"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        let path = arguments.operand(0)
        let name = arguments.value("--name") ?? ListFiles.name(of: path)
        guard !name.isEmpty, path != "-" || arguments.value("--name") != nil else {
            throw syntax.problem("the list needs a name: --name LIST")
        }
        let isTrial = arguments.has("--dry-run")
        let answer = try send(session, name, path, isTrial: isTrial)
        if session.wantsJSON {
            session.output.line(answer.jsonText)
        } else {
            show(answer, session, isTrial: isTrial)
        }
        return .done
    }

    /// Sends the file of a list.
    static func send(
        _ session: Session, _ name: String, _ path: String, isTrial: Bool = false
    ) throws(Problem) -> ListAddedAnswer {
        let file = try InputFile(path)
        return try session.client().answer(
            session.request(
                "PUT", ["lists", name], query: isTrial ? [("dry_run", "true")] : [],
                body: .stream(mediaType: "text/csv", length: file.length, read: file.read),
                silence: .reading))
    }

    static func show(_ answer: ListAddedAnswer, _ session: Session, isTrial: Bool = false) {
        let list =
            "list \(Terminal.plain(answer.name)), \(Text.count(answer.rows, "row", "rows"))"
        let output = session.output
        switch answer.change {
        case "added": output.line(isTrial ? "would add \(list)" : "added \(list)")
        case "unchanged": output.line("\(list): is here already")
        default:
            let before = answer.rowsBefore.map { " (before: \(Text.number($0)))" } ?? ""
            output.line((isTrial ? "would update " : "updated ") + list + before)
            if !answer.forms.isEmpty {
                output.line("used by: " + Terminal.plain(answer.forms.joined(separator: ", ")))
            }
        }
        answer.warnings.forEach { session.diagnostics.note($0) }
    }
}
