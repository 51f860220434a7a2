internal import ControlClient
internal import ShareControl

/// `shared set autopush`
enum SetAutopushCommand: Command {
    static let syntax = CommandSyntax(
        name: "set autopush", summary: "send entries as they are made, or only on `shared push`",
        operands: [.init(name: "on|off|follow")],
        options: [
            .init(name: "--all", help: "for all members of the room; owners alone may")
        ],
        notes: [
            "Without --all it is for this device. `follow`: as the room's owners have set it for",
            "all, which is how a device begins.",
        ],
        examples: ["shared set autopush on", "shared set autopush on --all"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let isFollowing = session.arguments.operand(0) == "follow"
        let wanted: Bool? =
            isFollowing ? nil : try OnOff.read(session.arguments, or: "follow")
        if session.arguments.has("--all") {
            guard let wanted else { throw syntax.problem("--all goes with 'on' or 'off'") }
            let body = RoomSettingsRequest(autopush: wanted)
            let _: RoomSettingsAnswer = try session.client().answer(
                session.request("PUT", ["settings", "room"], body: .value(body)))
        }
        // Who decides for all decides for this device too.
        let own = session.arguments.has("--all") ? nil : wanted
        let request = session.request(
            "PUT", ["settings", "autopush"], body: .value(AutopushRequest(autopush: own)))
        try session.answer(request, as: AutopushAnswer.self) { answer in
            let room = Terminal.plain(answer.room.name)
            session.output.line(
                answer.autopush
                    ? "entries in \(room) are sent as they are made"
                    : "entries in \(room) stay here until: shared push")
            if session.arguments.has("--all") {
                session.output.line("so it is for all members that have not set it for themselves")
            } else if answer.own == nil {
                session.output.line("as the room's owners have set it for all")
            } else if answer.autopush != answer.everybody {
                session.output.line(
                    answer.everybody
                        ? "the room's owners have it on for all;"
                            + " to do as they say: shared set autopush follow"
                        : "on this device alone; an owner sets it for all:"
                            + " shared set autopush on --all")
            }
        }
        return .done
    }

    /// How entries go out, where they do not by themselves.
    static func advice(to role: String) -> String {
        "entries go out with `shared push`; by themselves: `shared set autopush on"
            + (role == "owner" ? " --all`" : "`")
    }
}
