internal import ControlClient
internal import ShareControl

/// `shared role`
enum RoleCommand: Command {
    static let syntax = CommandSyntax(
        name: "role", summary: "give a member another role",
        operands: [.init(name: "DEVICE"), .init(name: "ROLE")],
        options: ScopeOptions.options + RecoveryInput.options,
        notes: [
            "ROLE is owner, editor, reviewer, collector, contributor or viewer. It holds for what",
            "the device writes from now on; what is here of it stays judged by the old one.",
            "Owners alone change roles, and nobody lowers who was an owner before. A room may have",
            "several owners, and should: at least two. Where the only one is lost, whoever has the",
            "recovery code that `shared create` showed makes a new one, from any member's device.",
            "What --forms and --where leave out, the device may not enter; without them all.",
        ],
        examples: [
            "shared role k7qx93mp editor", "shared role k7qx93mp owner --room clinic",
            "shared role k7qx93mp owner --recovery",
            "shared role k7qx93mp collector --forms survey --where area=north",
        ],
        look: { _ in "shared members" })

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let role = session.arguments.operand(1)
        let scope = try ScopeOptions.scope(session.arguments, of: syntax)
        let body = RoleRequest(
            device: try DeviceOperand.id(
                session.arguments.operand(0), to: "make", session,
                end: { member in
                    let scopes = scope.map { [$0] } ?? []
                    return " "
                        + ScopeOptions.text(role, scopes, isTold: !member.scopes.isEmpty)
                },
                isAsked: {
                    ranks.contains(role)
                        && ($0.role != role || scope != nil || !$0.scopes.isEmpty)
                },
                beware: { member in
                    guard scope != nil || mayLess(role, than: member.role) else { return nil }
                    return ProgressText.unsent(member).map { "\($0): \(kept(role))" }
                }),
            role: role, scope: scope,
            recovery: try RecoveryInput.code(session))
        let request = session.request("POST", ["role"], body: .value(body))
        try session.answer(request, as: RoleAnswer.self, waiting: "telling the members") { answer in
            let output = session.output
            let isBound = !answer.scopes.isEmpty || !answer.scopesBefore.isEmpty
            let now = ScopeOptions.text(answer.role, answer.scopes, isTold: isBound)
            let before = ScopeOptions.text(answer.before, answer.scopesBefore, isTold: isBound)
            let (who, room) = (Text.device(answer.device), Terminal.plain(answer.room.name))
            output.line(
                isBound
                    ? "in \(room) \(who) is \(now); it was \(before)"
                    : "\(who) is \(now) in \(room) now, and was \(before)")
            if let unsent = answer.unsent, unsent > 0,
                scope != nil || mayLess(answer.role, than: answer.before)
            {
                output.text(
                    "it had \(Text.changes(unsent)) not sent: \(kept(answer.role))")
            }
            Text.hearing(answer.heard, answer.notHeard).forEach(output.line)
        }
        return .done
    }

    private static let ranks = [
        "viewer", "contributor", "collector", "reviewer", "editor", "owner",
    ]

    /// Whether one role may not do all that another one does; a reviewer enters nothing.
    private static func mayLess(_ role: String, than before: String) -> Bool {
        let place = ranks.firstIndex(of: role) ?? ranks.endIndex
        return place < ranks.firstIndex(of: before) ?? ranks.startIndex
            || role == "reviewer" && before != role
    }

    /// What becomes of what a device has not sent when it is to be something else.
    private static func kept(_ role: String) -> String {
        let role = Terminal.plain(role)
        let article = role.first.map("aeiou".contains) == true ? "an" : "a"
        return "what \(article) \(role) may not do stays on it"
    }
}
