internal import ControlClient
internal import ShareControl

/// `shared leave`
enum LeaveCommand: Command {
    static let syntax = CommandSyntax(
        name: "leave", summary: "leave a room; what is here stays in its file",
        operands: [.init(name: "ROOM")],
        options: [.init(name: "--yes", help: "do not ask")], takesRoom: false,
        notes: [
            "On a terminal it asks first: to come back you have to join the room again.",
            "The last owner cannot leave others behind: make another one an owner first.",
        ],
        examples: ["shared leave clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let typed = session.arguments.operand(0)
        if !session.arguments.has("--yes"), Question.canBeAsked, !session.wantsJSON {
            let status: StatusAnswer = try session.client().answer(
                ControlRequest("GET", ["status"], query: [("room", typed)]))
            let room = status.rooms.first
            guard
                try Question.yes(
                    "leave \(Terminal.plain(room?.name ?? typed))? \(onlyHere(room))To come back you"
                        + " have to join it again.")
            else { throw Problem(.interrupted, "nothing was done", hint: nil) }
        }
        let body = RoomRequest(room: typed)
        let request = ControlRequest("POST", ["leave"], body: .value(body))
        try session.answer(request, as: LeftAnswer.self, waiting: "telling the members") { answer in
            lines(answer).forEach(session.output.line)
            // Where the next entry goes, as this may have been the current room.
            session.output.line(
                answer.current.map { "the current room is \(Terminal.plain($0.name))" }
                    ?? "no room is the current one now")
        }
        return .done
    }

    /// What would be left in the room's file alone, if it is not sent before.
    private static func onlyHere(_ room: RoomStatus?) -> String {
        guard let room, room.onlyHere > 0 else { return "" }
        let what = Text.unsent(room.onlyHere, new: min(room.onlyHereEntries, room.onlyHere))
        return "No other device is known to have \(what) of it. "
    }

    private static func lines(_ answer: LeftAnswer) -> [String] {
        let name = Terminal.plain(answer.room.name)
        let typed = Shell.quoted(name)
        if answer.isPending {
            return [
                "leaving \(name): nobody else in it is in reach",
                "what was entered here and the leave go out when a member is; until then"
                    + " this device counts as one",
            ] + (answer.isSaid ? [] : ["to stay: shared join \(typed)"])
                + ["to let go of it now, unheard: shared leave \(typed)"]
        }
        let onlyHere =
            answer.onlyHere > 0
            ? [
                "\(Text.changes(answer.onlyHere)) that no other device is known to have: only in that"
                    + " file"
            ] : []
        guard answer.heard.isEmpty, !answer.notHeard.isEmpty else {
            return ["left \(name); its file stays"] + onlyHere
                + Text.hearing(answer.heard, answer.notHeard)
        }
        return [
            "let go of \(name), unheard; its file stays",
            "for \(Text.names(answer.notHeard)) this device stays a member, until an owner removes it",
        ]
            + onlyHere + (answer.isSaid ? [] : ["to go on in it after all: shared join \(typed)"])
    }
}
