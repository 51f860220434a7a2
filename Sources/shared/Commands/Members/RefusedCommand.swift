internal import ShareControl

/// `shared refused`
enum RefusedCommand: Command {
    static let syntax = CommandSyntax(
        name: "refused", summary: "what was received and not applied, and why",
        examples: ["shared refused"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("GET", ["refused"])
        try session.answer(request, as: [RefusedAnswer].self) { refused in
            guard !refused.isEmpty else { return session.output.line("nothing was refused") }
            var table = Table(["AUTHOR", "COUNT", "WHAT", "FORM", "RECORD", "TIME", "REASON"])
            for item in refused {
                table.add([
                    Text.name(item.authorName, item.author), "\(item.count)", what(item),
                    item.form ?? "-", item.record.map(Text.shortRecord) ?? "-",
                    item.at.map(Text.time) ?? "-",
                    item.reason,
                ])
            }
            table.write(to: session.output)
            var said: Set<String> = []
            for case let hint? in refused.map(\.hint) where said.insert(hint).inserted {
                session.diagnostics.note(hint)
            }
        }
        return .done
    }

    private static func what(_ item: RefusedAnswer) -> String {
        item.device.map { "\(item.what) of \(Text.name($0.name, $0.id))" } ?? item.what
    }
}
