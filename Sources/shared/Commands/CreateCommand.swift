internal import ControlClient
internal import ShareControl

/// `shared create`
enum CreateCommand: Command {
    static let syntax = CommandSyntax(
        name: "create", summary: "found a room on this device", operands: [.init(name: "ROOM")],
        options: [
            .init(name: "--open", help: "without codes; this release refuses it")
        ],
        takesRoom: false,
        notes: ["This device becomes its owner, and the room becomes the current one."],
        examples: ["shared create clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = CreateRequest(
            room: session.arguments.operand(0), isOpen: session.arguments.has("--open"))
        let request = ControlRequest("POST", ["rooms"], body: .value(body))
        try session.answer(request, as: JoinAnswer.self) { answer in
            JoinCommand.show(answer, session.output)
        }
        return .done
    }
}
