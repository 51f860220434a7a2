internal import ControlClient
internal import ShareControl
import Glibc

/// `shared invite`
enum InviteCommand: Command {
    static let syntax = CommandSyntax(
        name: "invite", summary: "make a code with which devices can join",
        options: [
            .init(
                name: "--role", value: "ROLE",
                help: "collector (usual), contributor, viewer, reviewer, editor or owner"),
            .init(
                name: "--expires", value: "TIME",
                help: "how long it holds, up to 30d; 10m where not given"),
            .init(
                name: "--uses", value: "N", help: "how many devices it admits; 1 where not given"),
            .init(
                name: "--name", value: "NAME",
                help: "what invites calls it, such as the name of a team"),
        ] + ScopeOptions.options + [
            .init(name: "--qr", help: "show it as a QR symbol too")
        ],
        notes: [
            "Read the code out to the person; five wrong codes end it. shared invites lists it,",
            "shared withdraw ends it.",
        ],
        examples: [
            "shared invite", "shared invite --role viewer --expires 1h",
            "shared invite --uses 12 --expires 8h --qr",
            "shared invite --forms survey --where area=north,east --name \"Team A\" --uses 5",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let milliseconds = try DurationText.milliseconds(
            "--expires", session.arguments, from: 1000, to: ControlLimits.inviteSeconds * 1000,
            needsUnit: true)
        let body = InviteRequest(
            role: session.arguments.value("--role"),
            expiresSeconds: milliseconds.map { $0 / 1000 },
            uses: try session.arguments.number("--uses"),
            name: session.arguments.value("--name"),
            scope: try ScopeOptions.scope(session.arguments, of: syntax))
        let request = session.request("POST", ["invites"], body: .value(body))
        try session.answer(request, as: InviteAnswer.self) { invite in
            let code = Terminal.plain(invite.code)
            session.output.line("code     \(code)")
            session.output.line("role     \(Terminal.plain(invite.role))")
            if let scope = invite.scope {
                session.output.line("enters   \(ScopeOptions.text(scope))")
            }
            if invite.uses > 1 {
                session.output.line("uses     \(Text.count(invite.uses, "device", "devices"))")
            }
            let expires = Text.time(invite.expires)
            let usual = milliseconds == nil ? ", in 10 min; for longer: --expires 8h" : ""
            session.output.line("expires  \(expires)\(usual)")
            session.output.line("on the other device: shared join \(code)")
            if session.arguments.has("--qr") { show(invite.link, session) }
            if let network = invite.network {
                session.diagnostics.note("nobody can join now: \(Terminal.plain(network))")
            }
        }
        return .done
    }

    private static func show(_ link: String, _ session: Session) {
        let link = Terminal.plain(link)
        guard let symbol = QRSymbol(link) else {
            return session.diagnostics.note("the room's name is too long for a QR symbol")
        }
        session.output.line("")
        let lines = QRText.ofThisTerminal.lines(of: symbol)
        let width = QRText.ofThisTerminal.columns(of: symbol)
        if !Terminal.isUTF8, isatty(STDOUT_FILENO) == 1, width > Terminal.columns {
            session.output.text(
                "the QR symbol needs UTF-8, or \(width) columns of plain ASCII; in a terminal that"
                    + " shows UTF-8: `LC_ALL=C.UTF-8 shared invite --qr`")
        } else {
            lines.forEach(session.output.line)
        }
        session.output.line("")
        session.output.line("what it says can be typed too: shared join \(Shell.quoted(link))")
    }
}
