internal import ShareControl

/// `shared show`
enum ShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "show", summary: "one record, field by field", operands: [.init(name: "ID")],
        examples: ["shared show 7f3c9a12"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["record", session.arguments.operand(0)])
        try session.answer(request, as: JSONObject.self) { record in
            // The fields first, what the system adds last.
            let fields = record.members.filter { !$0.key.hasPrefix("_") }
            let own = record.members.filter { $0.key.hasPrefix("_") }
            let width = record.members.map { Terminal.width(Terminal.plain($0.key)) }.max() ?? 0
            for member in fields + own {
                let value = Terminal.plain(Text.value(member.value))
                let name = Terminal.pad(Terminal.plain(member.key), width)
                session.output.line(value.isEmpty ? name : "\(name)  \(value)")
            }
        }
        return .done
    }
}
