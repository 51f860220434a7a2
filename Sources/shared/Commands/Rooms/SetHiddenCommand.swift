internal import ControlClient
internal import ShareControl

/// `shared set hidden`
enum SetHiddenCommand: Command {
    static let syntax = CommandSyntax(
        name: "set hidden", summary: "keep the room's name from strangers nearby, or announce it",
        operands: [.init(name: "on|off")],
        notes: [
            "Owners alone may, and it holds on every member's device once it has heard of it. A",
            "hidden room is joined with a code; an open one has to be closed before it is hidden.",
        ],
        examples: ["shared set hidden on"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoomSettingsRequest(isHidden: try OnOff.read(session.arguments))
        let request = session.request("PUT", ["settings", "room"], body: .value(body))
        try session.answer(request, as: RoomSettingsAnswer.self) { answer in
            let room = Terminal.plain(answer.room.name)
            session.output.line(
                answer.isHidden
                    ? "\(room) is hidden: its members' devices do not announce it"
                    : "\(room) is announced to everybody nearby")
            if answer.isOpen { JoinCommand.warn(ofOpen: room, session) }
        }
        return .done
    }
}
