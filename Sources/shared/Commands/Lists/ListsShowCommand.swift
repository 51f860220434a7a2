internal import ControlClient
internal import ShareControl

/// `shared lists show`
enum ListsShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "lists show", summary: "show rows of a list",
        operands: [.init(name: "LIST"), .init(name: "COLUMN=TEXT", count: .optional)],
        options: [
            .init(
                name: "--search", value: "TEXT",
                help: "rows with TEXT in their name or label, whatever case and accents"),
            .init(name: "--limit", value: "N", help: "at most so many rows (50)"),
        ],
        examples: ["shared lists show village parent=koro", "shared lists show food --search bean"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        var query: [(name: String, value: String)] = []
        if arguments.operands.count > 1 { query.append(("where", arguments.operand(1))) }
        if let text = arguments.value("--search") { query.append(("search", text)) }
        if query.count > 1 {
            throw syntax.problem("COLUMN=TEXT and --search do not go together")
        }
        if let limit = try arguments.number("--limit") { query.append(("limit", "\(limit)")) }
        let request = session.request("GET", ["lists", arguments.operand(0)], query: query)
        try session.answer(request) { (answer: ListRowsAnswer) throws(Problem) in
            try noteParallel(answer.name, session)
            guard !answer.cells.isEmpty else { return session.output.line("no such row") }
            var table = Table(
                answer.columns.map { Terminal.plain($0) }, prose: Set(answer.columns.indices))
            for row in answer.cells { table.add(row) }
            table.write(to: session.output)
            if answer.cells.count < answer.count {
                session.diagnostics.note(
                    "\(Text.number(answer.cells.count)) of \(Text.number(answer.count)) rows;"
                        + " --limit N shows more, --search TEXT others")
            }
        }
        return .done
    }

    /// Says that others made a version that is not in force.
    private static func noteParallel(_ list: String, _ session: Session) throws(Problem) {
        let lists: [ListAnswer] = try session.client().answer(session.request("GET", ["lists"]))
        guard let parallel = lists.first(where: { $0.name == list })?.parallel else { return }
        session.diagnostics.note(ParallelListText.line(parallel))
    }
}
