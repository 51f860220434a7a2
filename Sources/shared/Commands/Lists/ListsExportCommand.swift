internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared lists export`
enum ListsExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "lists export", summary: "write a list as CSV",
        operands: [.init(name: "LIST")],
        options: [
            .init(name: "--output", value: "FILE", help: "the file, instead of standard output"),
            .init(name: "--raw", help: "no ' before what a spreadsheet could run: for phones"),
            .init(
                name: "--by", value: "DEVICE",
                help: "the version of this device, where several have changed it at once"),
        ],
        examples: ["shared lists export village --output village.csv"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        var query: [(name: String, value: String)] = []
        if session.arguments.has("--raw") { query.append(("raw", "true")) }
        if let device = session.arguments.value("--by") { query.append(("by", device)) }
        let request = session.request(
            "GET", ["lists", session.arguments.operand(0), "csv"], query: query,
            silence: .reading)
        guard let path = session.arguments.value("--output"), path != "-" else {
            let output = session.output
            try session.client().send(request) { bytes in
                output.write(bytes)
                return !output.isClosed
            }
            return .done
        }
        let written = try Download.save(session, request, to: path, "exporting, bytes")
        if session.wantsJSON {
            session.output.line(["file": path.json, "bytes": written.json])
        } else {
            let bytes = Text.count(written, "byte", "bytes")
            session.output.line("wrote \(bytes) to \(Terminal.plain(path))")
        }
        return .done
    }
}

/// `shared lists remove`
enum ListsRemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "lists remove", summary: "take a list away; entries keep their answers",
        operands: [.init(name: "LIST")], examples: ["shared lists remove village"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request("DELETE", ["lists", session.arguments.operand(0)])
        try session.answer(request, as: ListAddedAnswer.self) { answer in
            session.output.line("removed list \(Terminal.plain(answer.name))")
            answer.warnings.forEach { session.diagnostics.note($0) }
            guard !answer.forms.isEmpty else { return }
            session.diagnostics.note(
                "without it \(Terminal.plain(answer.forms.joined(separator: ", "))) take any text")
        }
        return .done
    }
}
