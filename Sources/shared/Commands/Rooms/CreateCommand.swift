internal import ControlClient
internal import ShareControl

/// `shared create`
enum CreateCommand: Command {
    static let syntax = CommandSyntax(
        name: "create", summary: "found a room on this device",
        operands: [.init(name: "ROOM", mayBeEmpty: true)],
        options: [
            .init(name: "--open", help: "anyone nearby may join as collector, without a code"),
            .init(name: "--hidden", help: "the room is not announced; others need a code"),
        ],
        takesRoom: false,
        notes: ["This device becomes its owner, and the room becomes the current one."],
        examples: ["shared create clinic", "shared create market --open"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = CreateRequest(
            room: session.arguments.operand(0), isOpen: session.arguments.has("--open"),
            isHidden: session.arguments.has("--hidden"))
        if body.isOpen, body.isHidden {
            throw syntax.problem("a room cannot be both open and hidden")
        }
        let request = ControlRequest("POST", ["rooms"], body: .value(body))
        try session.answer(request, as: JoinAnswer.self) { answer in
            JoinCommand.show(answer, session)
        }
        return .done
    }
}
