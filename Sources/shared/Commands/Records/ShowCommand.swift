internal import JSON
internal import ShareControl

/// `shared show`
enum ShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "show", summary: "one entry, field by field", operands: [.init(name: "ID")],
        examples: ["shared show 7f3c9a12"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["record", session.arguments.operand(0)])
        try session.answer(request, as: JSONObject.self) { record in
            // The fields first, what the system adds last.
            let fields = record.members.filter { !$0.key.hasPrefix("_") }
            let own = record.members.filter { $0.key.hasPrefix("_") }
            let width = record.members.map { Terminal.width(Terminal.plain($0.key)) }.max() ?? 0
            for member in fields + own {
                if let remarks = remarks(member.value) {
                    session.output.line(Terminal.plain(member.key))
                    for remark in remarks { session.output.line("    \(remark)") }
                    continue
                }
                var value = Terminal.plain(Text.value(member.value))
                if ["_created", "_updated"].contains(member.key) { value = Text.time(value) }
                let name = Terminal.plain(member.key)
                session.output.line(
                    value.isEmpty ? name : "\(Terminal.pad(name, width))  \(value)")
            }
        }
        return .done
    }

    /// A review or comments, line by line; nil for anything else.
    private static func remarks(_ value: JSONValue) -> [String]? {
        let objects = value.object.map { [$0] } ?? value.array?.compactMap(\.object) ?? []
        guard !objects.isEmpty else { return nil }
        return objects.map { remark in
            let author = Text.device(
                remark["author_name"]?.string, remark["author"]?.string ?? "")
            let text = Terminal.plain(remark["text"]?.string ?? "")
            let at = Text.time(remark["at"]?.string ?? "")
            return text.isEmpty ? "\(author), \(at)" : "\(text)  by \(author), \(at)"
        }
    }
}
