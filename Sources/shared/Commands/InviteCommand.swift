internal import ControlClient
internal import ShareControl

/// `shared invite`
enum InviteCommand: Command {
    static let syntax = CommandSyntax(
        name: "invite", summary: "make a code with which one device can join",
        options: [
            .init(
                name: "--role", value: "ROLE",
                help: "collector (usual), contributor, viewer, reviewer, editor or owner"),
            .init(name: "--expires", value: "TIME", help: "how long it holds; 10m where not given"),
        ],
        notes: ["The code works once. Read it out to the person; five wrong codes end it."],
        examples: ["shared invite", "shared invite --role viewer --expires 1h"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let milliseconds = try DurationText.milliseconds("--expires", session.arguments)
        if let milliseconds, milliseconds < 1000 {
            throw syntax.problem("--expires needs at least one second")
        }
        let body = InviteRequest(
            role: session.arguments.value("--role"), expiresSeconds: milliseconds.map { $0 / 1000 })
        let request = session.request("POST", ["invites"], body: .value(body))
        try session.answer(request, as: InviteAnswer.self) { invite in
            let room = Terminal.plain(invite.room.name)
            session.output.line("code     \(Terminal.plain(invite.code))")
            session.output.line("role     \(Terminal.plain(invite.role))")
            session.output.line("expires  \(Terminal.plain(invite.expires))")
            session.output.line(
                "on the other device: shared join \(Shell.quoted(room)) "
                    + "--code \(Terminal.plain(invite.code))")
        }
        return .done
    }
}
