internal import ControlClient
internal import ShareControl

/// `shared join`
enum JoinCommand: Command {
    static let syntax = CommandSyntax(
        name: "join", summary: "join the room of that name nearby",
        operands: [.init(name: "ROOM")],
        options: [
            .init(
                name: "--code", value: "CODE", help: "the code that `shared invite` showed a member"
            )
        ],
        takesRoom: false,
        notes: [
            "With a code it joins, or fails. Without one it creates a room, and only where there",
            "surely is none of that name nearby; this release cannot join a room without a code.",
        ],
        examples: ["shared join clinic --code K7QX-93MP"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = JoinRequest(
            room: session.arguments.operand(0), code: session.arguments.value("--code"))
        let request = ControlRequest(
            "POST", ["join"], body: .value(body), silence: .seconds(60))
        try session.answer(request, as: JoinAnswer.self) { answer in
            show(answer, session.output)
        }
        return .done
    }

    static func show(_ answer: JoinAnswer, _ output: Output) {
        let room = "\(Terminal.plain(answer.room.name)) (\(Text.short(answer.room.id)))"
        if answer.created {
            output.line("created a new room, \(room); nobody else is in it")
            output.line("invite somebody: shared invite")
            return
        }
        let founder = answer.founder.map {
            ", founded by \(Text.name($0.name, $0.id)) (\(Text.short($0.id)))"
        }
        if answer.state == "waiting" {
            output.line("asked to join \(room)\(founder ?? "")")
            output.line("not a member yet: it waits until an owner or editor in reach admits it")
            output.line("where one is in reach already, ask for a new code and join again")
        } else {
            output.line("joined \(room)\(founder ?? "")")
        }
    }
}
