internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared export`
enum ExportCommand: Command {
    static let formats = ["csv", "json", "ndjson"]
    /// Endings of files that a spreadsheet would not open with CSV in them.
    private static let workbooks: Set<String> = ["xlsx", "xls", "xlsm", "ods"]

    static let syntax = CommandSyntax(
        name: "export", summary: "write the entries of a form as a file, or all of a room",
        operands: [.init(name: "FORM", count: .optional), Conditions.operand],
        options: [
            .init(
                name: "--format", value: "FORMAT",
                help: "csv (usual), json or ndjson; else by the ending of FILE"),
            .init(name: "--output", value: "FILE", help: "the file, instead of standard output"),
            .init(name: "--crlf", help: "end the lines of CSV with CR LF"),
            .init(name: "--bom", help: "start CSV with a byte order mark, for some spreadsheets"),
            .init(
                name: "--current-fields", help: "leave out fields of earlier versions of the form"),
            .init(name: "--raw", help: "do not put ' before text that a spreadsheet would run"),
            .init(name: "--units", help: "write 75% and not 75 where the unit is percent"),
            .init(
                name: "--audit", value: "FILE",
                help: "all of the room as it was signed, and the keys, for others to check"),
        ] + Conditions.options,
        notes: [
            "FILE is replaced only when all of the new one is written. What --audit writes can",
            "be checked without this program: docs/protocol/bundle.md. It is not encrypted.",
        ] + Conditions.notes,
        examples: [
            "shared export common-viruses --output common-viruses.csv",
            "shared export --audit clinic.audit",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        if let path = arguments.value("--audit") { return try audit(session, path) }
        guard !arguments.operands.isEmpty else {
            throw syntax.problem("FORM is missing, or --audit FILE")
        }
        let path = arguments.value("--output")
        var query = [(name: "format", value: try format(arguments, session.wantsJSON))]
        let conditions = try Conditions.query(arguments, arguments.operands.dropFirst())
        query += conditions
        for option in ["crlf", "bom", "raw", "units"] where arguments.has("--\(option)") {
            query.append((option, "true"))
        }
        if arguments.has("--current-fields") { query.append(("current", "true")) }
        let request = session.request(
            "GET", ["export", arguments.operand(0)], query: query, silence: .seconds(120))
        guard let path, path != "-" else {
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
        // Conditions are on entries, not on the rows of their repeats.
        if query[0].value == "csv", conditions.isEmpty {
            try repeats(session, query, beside: path)
        }
        return .done
    }

    /// Writes the rows of a form's repeats into files of their own, beside that of its entries.
    private static func repeats(
        _ session: Session, _ query: [(name: String, value: String)], beside path: String
    ) throws(Problem) {
        let form = session.arguments.operand(0)
        let definition: JSONObject = try session.client().answer(
            session.request("GET", ["forms", form]))
        let names = FormOutline.repeats(in: definition["fields"])
        let dot = path.lastIndex(of: ".") ?? path.endIndex
        for name in names {
            let file = path[..<dot] + "-" + name.joined(separator: "-") + path[dot...]
            let request = session.request(
                "GET", ["export", ([form] + name).joined(separator: "/")], query: query,
                silence: .seconds(120))
            let written = try Download.save(session, request, to: String(file), "exporting, bytes")
            if session.wantsJSON {
                session.output.line(["file": String(file).json, "bytes": written.json])
            } else {
                let bytes = Text.count(written, "byte", "bytes")
                session.output.line("wrote \(bytes) to \(Terminal.plain(String(file)))")
            }
        }
    }

    private static func audit(_ session: Session, _ path: String) throws(Problem) -> ExitCode {
        guard session.arguments.operands.isEmpty, session.arguments.value("--output") == nil else {
            throw syntax.problem("--audit writes the whole room: it takes no FORM and no --output")
        }
        return try Download.bundle(session, [("whole", "true")], to: path)
    }

    private static func format(
        _ arguments: ParsedArguments, _ wantsJSON: Bool
    ) throws(Problem) -> String {
        if let format = arguments.value("--format") {
            guard formats.contains(format) else {
                throw syntax.problem(
                    "--format is csv, json or ndjson, not '\(Terminal.plain(format))'")
            }
            return format
        }
        guard let path = arguments.value("--output") else { return wantsJSON ? "json" : "csv" }
        let ending = path.lowercased().split(separator: ".").last.map(String.init) ?? ""
        guard !workbooks.contains(ending) else {
            throw Problem(
                .usage, "export: no workbook is written, and \(Terminal.plain(path)) would be none",
                hint: "A spreadsheet opens CSV: --output "
                    + Shell.quoted(String(path.dropLast(ending.count)) + "csv") + " --bom.")
        }
        return formats.contains(ending) ? ending : "csv"
    }
}
