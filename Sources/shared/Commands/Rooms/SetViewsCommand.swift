internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared set views`
enum SetViewsCommand: Command {
    static let syntax = CommandSyntax(
        name: "set views", summary: "write down figures, charts and tables for everybody",
        operands: [.init(name: "FILE")],
        notes: [
            "FILE - is standard input: {\"views\": [...]}, in place of what is there. Editors and",
            "owners may. docs/analysis.md says what a view is.",
        ],
        examples: ["shared set views views.json"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = try InputFile(session.arguments.operand(0)).json(
            limit: ControlLimits.bodyBytes)
        let request = session.request("PUT", ["views"], body: .json(body))
        try session.answer(request, as: ViewsAnswer.self) { (answer) throws(Problem) in
            let count = Text.count(answer.views.count, "view", "views")
            session.output.line("\(Terminal.plain(answer.room.name)) has \(count)")
            try ViewCommand.tellFaults(of: answer.views, session)
        }
        return .done
    }
}
