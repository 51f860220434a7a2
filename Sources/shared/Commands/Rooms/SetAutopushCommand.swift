internal import ControlClient
internal import ShareControl

/// `shared set autopush`
enum SetAutopushCommand: Command {
    static let syntax = CommandSyntax(
        name: "set autopush", summary: "push entries as they are made, or only on `shared push`",
        operands: [.init(name: "on|off")], examples: ["shared set autopush on"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = AutopushRequest(autopush: try OnOff.read(session.arguments))
        let request = session.request("PUT", ["settings", "autopush"], body: .value(body))
        try session.answer(request, as: AutopushAnswer.self) { answer in
            let room = Terminal.plain(answer.room.name)
            session.output.line(
                answer.autopush
                    ? "entries in \(room) are pushed as they are made"
                    : "entries in \(room) stay here until: shared push")
        }
        return .done
    }
}
