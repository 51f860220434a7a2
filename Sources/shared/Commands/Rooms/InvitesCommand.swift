internal import ControlClient
internal import ShareControl

/// `shared invites`
enum InvitesCommand: Command {
    static let syntax = CommandSyntax(
        name: "invites", summary: "the invites of this device, and why they ended",
        notes: [
            "Those that have ended are listed for a day, with the first two characters of their",
            "code. Without --room it lists those to all rooms.",
        ],
        examples: ["shared invites"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["invites"])
        try session.answer(request, as: [InviteStatus].self) { invites in
            guard !invites.isEmpty else {
                return session.output.line("no invites; make one: shared invite")
            }
            // What is the same of all is left out, so that the rest fits.
            let hasNames = invites.contains { $0.name != nil }
            let hasWrong = invites.contains { $0.attempts > 0 }
            func row(_ cells: [String]) -> [String] {
                cells.enumerated().filter {
                    ($0.offset != 1 || hasNames) && ($0.offset != 6 || hasWrong)
                }.map(\.element)
            }
            var table = Table(
                row([
                    "CODE", "NAME", "ROLE", "ROOM", "USES LEFT", "EXPIRES", "WRONG", "STATE",
                ]))
            for invite in invites {
                let isLive = invite.state == "live"
                table.add(
                    row([
                        invite.code ?? "\(invite.selector)\(Terminal.dots)", invite.name ?? "-",
                        invite.role,
                        invite.room.name,
                        isLive
                            ? "\(Text.number(invite.usesLeft)) of \(Text.number(invite.uses))"
                            : "-",
                        isLive && invite.expiresIn > 0
                            ? "in \(Text.duration(invite.expiresIn))" : "-",
                        "\(invite.attempts) of \(invite.attempts + invite.attemptsLeft)",
                        state(invite),
                    ]))
            }
            table.write(to: session.output)
            for invite in invites {
                guard let scope = invite.scope else { continue }
                session.output.line(
                    "\(Terminal.plain(invite.selector)): who joins with it enters"
                        + " \(ScopeOptions.text(scope))")
            }
        }
        return .done
    }

    /// What has become of an invite, for people.
    static func state(_ invite: InviteStatus) -> String {
        let users = Text.list(invite.usedBy.map { Text.device($0) })
        switch invite.state {
        case "live": return users.isEmpty ? "live" : "live, used by \(users)"
        case "used_up": return "used by \(users)"
        case "wrong_codes": return "ended by wrong codes"
        case "not_allowed": return "ended: this device may not admit that role any more"
        default: return Terminal.plain(invite.state)
        }
    }
}
