internal import ControlClient
internal import ShareControl

/// `shared leave`
enum LeaveCommand: Command {
    static let syntax = CommandSyntax(
        name: "leave", summary: "leave a room; what is here stays in its file",
        operands: [.init(name: "ROOM")], takesRoom: false,
        notes: ["The last owner cannot leave others behind: make another one an owner first."],
        examples: ["shared leave clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoomRequest(room: session.arguments.operand(0))
        let request = ControlRequest("POST", ["leave"], body: .value(body))
        try session.answer(request, as: LeftAnswer.self) { answer in
            let output = session.output
            let name = Terminal.plain(answer.room.name)
            if answer.isPending {
                output.line("leaving \(name): nobody else in it is in reach")
                output.line(
                    "what was entered here and the leave go out when a member is; until then"
                        + " this device counts as one")
                output.line("to let go of it now, unheard: shared leave \(name)")
            } else {
                output.line("left \(name); its file stays")
                Text.hearing(answer.heard, answer.notHeard).forEach(output.line)
            }
            // Where the next entry goes, as this may have been the current room.
            output.line(
                answer.current.map { "the current room is \(Terminal.plain($0.name))" }
                    ?? "this device is in no room any more")
        }
        return .done
    }
}
