internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared list`
enum ListCommand: Command {
    static let syntax = CommandSyntax(
        name: "list", summary: "the entries of a form", operands: [.init(name: "FORM")],
        options: [
            .init(
                name: "--where", value: "FIELD=VALUE", repeats: true,
                help: "only those with this value; all must hold"),
            .init(name: "--sort", value: "FIELD", help: "in this order; -FIELD turns it around"),
            .init(name: "--limit", value: "N", help: "at most N entries"),
        ],
        notes: ["Without --sort, in the order in which they were made."],
        examples: [
            "shared list common-viruses",
            "shared list common-viruses --where Virus_Name=Chickenpox --sort Patient_Fname",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let form = session.arguments.operand(0)
        let request = session.request(
            "GET", ["records", form], query: try query(session.arguments),
            silence: .seconds(120))
        return session.wantsJSON
            ? try stream(session, request) : try show(session, request, form)
    }

    private static func query(_ arguments: ParsedArguments) throws(Problem)
        -> [(name: String, value: String)]
    {
        var query: [(name: String, value: String)] = []
        for condition in arguments.values("--where") {
            guard let equals = condition.firstIndex(of: "="), equals > condition.startIndex else {
                throw syntax.problem(
                    "--where needs FIELD=VALUE, not '\(Terminal.plain(condition))'")
            }
            query.append(("where", condition))
        }
        if let field = arguments.value("--sort") { query.append(("sort", field)) }
        if let limit = try arguments.number("--limit") { query.append(("limit", "\(limit)")) }
        return query
    }

    /// Passes the daemon's document through without holding it.
    private static func stream(
        _ session: Session, _ request: ControlRequest
    ) throws(Problem) -> ExitCode {
        let output = session.output
        let endsLine = LastByte()
        try session.client().send(request) { bytes in
            output.write(bytes)
            endsLine.see(bytes)
            return !output.isClosed
        }
        if !endsLine.isNewline { output.line("") }
        return .done
    }

    private static func show(
        _ session: Session, _ request: ControlRequest, _ form: String
    ) throws(Problem) -> ExitCode {
        let client = try session.client()
        let definition: JSONObject = try client.answer(session.request("GET", ["forms", form]))
        let rows = RecordRows(FormOutline(definition).columns, session.output)
        let output = session.output
        try client.send(request) { (bytes) throws(Problem) in
            try rows.append(bytes)
            return !output.isClosed
        }
        rows.finish()
        if rows.count == 0 { session.diagnostics.note("no entries") }
        return .done
    }
}

/// Remembers whether the last byte was a line's end.
private final class LastByte {
    private(set) var isNewline = false

    func see(_ bytes: UnsafeRawBufferPointer) {
        if let last = bytes.last { isNewline = last == UInt8(ascii: "\n") }
    }
}
