internal import ControlClient
internal import ShareControl

/// `shared withdraw`
enum WithdrawCommand: Command {
    static let syntax = CommandSyntax(
        name: "withdraw", summary: "end an invite", operands: [.init(name: "INVITE")],
        takesRoom: false,
        notes: [
            "INVITE is its code, or the first two characters of it. Who has joined with it stays",
            "a member. That it has ended already is no error. See them: shared invites",
        ],
        examples: ["shared withdraw K7"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = ControlRequest("DELETE", ["invites", session.arguments.operand(0)])
        try session.answer(request, as: WithdrawnAnswer.self) { answer in
            let invite = answer.invite
            let what =
                "the invite \(Terminal.plain(invite.selector)) to \(Terminal.plain(invite.room.name))"
            session.output.line(
                answer.hadEnded
                    ? "\(what) had ended already: \(Terminal.plain(ended(invite)))"
                    : "withdrew \(what)")
        }
        return .done
    }

    /// Why it had ended, and who had used it.
    private static func ended(_ invite: InviteStatus) -> String {
        let state = InvitesCommand.state(invite)
        guard invite.state != "used_up", !invite.usedBy.isEmpty else { return state }
        return "\(state); used by \(Text.list(invite.usedBy.map { Text.device($0) })) before"
    }
}
