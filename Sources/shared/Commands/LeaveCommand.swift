internal import ControlClient
internal import ShareControl

/// `shared leave`
enum LeaveCommand: Command {
    static let syntax = CommandSyntax(
        name: "leave", summary: "leave a room; what is here stays in its file",
        operands: [.init(name: "ROOM")], takesRoom: false, examples: ["shared leave clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoomRequest(room: session.arguments.operand(0))
        let request = ControlRequest("POST", ["leave"], body: .value(body))
        try session.answer(request, as: RoomChangedAnswer.self) { answer in
            session.output.line("left \(Terminal.plain(answer.room.name))")
        }
        return .done
    }
}
