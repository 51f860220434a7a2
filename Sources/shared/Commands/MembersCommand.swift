internal import ShareControl

/// `shared members`
enum MembersCommand: Command {
    static let syntax = CommandSyntax(
        name: "members", summary: "the members of a room and their roles",
        examples: ["shared members", "shared members --room clinic"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        try session.answer(session.request("GET", ["members"]), as: [MemberAnswer].self) {
            var table = Table(["NAME", "ID", "ROLE", ""])
            for member in $0 {
                table.add([
                    member.name, Text.short(member.id), member.role,
                    member.isSelf ? "this device" : "",
                ])
            }
            table.write(to: session.output)
            for member in $0 {
                for fault in member.faults { session.output.line(Terminal.plain(fault)) }
            }
        }
        return .done
    }
}
