internal import ControlClient
internal import ShareControl

/// `shared set open`
enum SetOpenCommand: Command {
    static let syntax = CommandSyntax(
        name: "set open", summary: "let anyone nearby join the room without a code, or not",
        operands: [.init(name: "on|off")],
        notes: [
            "Owners alone may. Who has joined stays a member when the room is closed. A hidden room",
            "has to be announced before it is opened: shared set hidden off.",
        ],
        examples: ["shared set open off"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoomSettingsRequest(isOpen: try OnOff.read(session.arguments))
        let request = session.request("PUT", ["settings", "room"], body: .value(body))
        try session.answer(request, as: RoomSettingsAnswer.self) { answer in
            let room = Terminal.plain(answer.room.name)
            session.output.line(
                answer.isOpen ? "\(room) is open" : "\(room) is closed: others need a code to join")
            if answer.isOpen { JoinCommand.warn(ofOpen: room, session) }
        }
        return .done
    }
}
