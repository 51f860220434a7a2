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
            session.output.line("left \(Terminal.plain(answer.room.name)); its file stays")
        }
        if !session.wantsJSON { try showCurrent(session) }
        return .done
    }

    /// Says where the next entry goes: leaving the current room makes another one current.
    private static func showCurrent(_ session: Session) throws(Problem) {
        let rooms = ControlRequest("GET", ["rooms"])
        try session.answer(rooms, as: [RoomAnswer].self) { rooms in
            guard let room = rooms.first(where: \.current) else { return }
            session.output.line("the current room is \(Terminal.plain(room.name))")
        }
    }
}
