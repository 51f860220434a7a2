internal import ControlClient
internal import ShareControl

/// `shared role`
enum RoleCommand: Command {
    static let syntax = CommandSyntax(
        name: "role", summary: "give a member another role",
        operands: [.init(name: "DEVICE"), .init(name: "ROLE")],
        notes: [
            "ROLE is owner, editor, reviewer, collector, contributor or viewer. It holds for what",
            "the device writes from now on; what is here of it stays judged by the old one.",
            "Owners alone change roles. A room may have several, and should: at least two.",
        ],
        examples: ["shared role k7qx93mp editor", "shared role k7qx93mp owner --room clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let body = RoleRequest(
            device: session.arguments.operand(0), role: session.arguments.operand(1))
        let request = session.request("POST", ["role"], body: .value(body))
        try session.answer(request, as: RoleAnswer.self) { answer in
            let output = session.output
            output.line(
                "\(Text.device(answer.device)) is \(Terminal.plain(answer.role)) in "
                    + "\(Terminal.plain(answer.room.name)) now, and was "
                    + Terminal.plain(answer.before))
            Text.hearing(answer.heard, answer.notHeard).forEach(output.line)
        }
        return .done
    }
}
