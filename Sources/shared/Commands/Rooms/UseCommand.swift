internal import ControlClient
internal import ShareControl

/// `shared use`
enum UseCommand: Command {
    static let syntax = CommandSyntax(
        name: "use", summary: "make a room the current one", operands: [.init(name: "ROOM")],
        takesRoom: false, notes: ["Commands without --room then mean this room."],
        examples: ["shared use clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoomRequest(room: session.arguments.operand(0))
        let request = ControlRequest("POST", ["use"], body: .value(body))
        try session.answer(request, as: RoomChangedAnswer.self) { answer in
            session.output.line("the current room is \(Terminal.plain(answer.room.name))")
        }
        return .done
    }
}
