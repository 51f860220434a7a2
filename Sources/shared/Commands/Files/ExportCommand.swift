internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared export`
enum ExportCommand: Command {
    /// What the daemon writes; `zip` and `xlsx` are made of CSV here.
    static let formats = ["csv", "json", "ndjson", "geojson", "zip", "xlsx"]

    static let syntax = CommandSyntax(
        name: "export", summary: "write the entries of a form as a file, or all of a room",
        operands: [.init(name: "FORM", count: .optional), Conditions.operand],
        options: [
            .init(
                name: "--format", value: "FORMAT",
                help: "csv (usual), json, ndjson, geojson, zip or xlsx; else by the ending of FILE"),
            .init(name: "--output", value: "FILE", help: "the file, instead of standard output"),
            .init(
                name: "--like", value: "central|kobo",
                help: "the columns that ODK Central or KoboToolbox have"),
            .init(
                name: "--columns", value: "A,B,C",
                help: "these fields; _id, _author_name, _created, _updated, _state too"),
            .init(
                name: "--sort", value: "FIELD", repeats: true,
                help: "in this order; -FIELD turns it around"),
            .init(name: "--limit", value: "N", help: "at most N entries"),
            .init(name: "--crlf", help: "end the lines of CSV with CR LF"),
            .init(name: "--bom", help: "start CSV with a byte order mark, for some spreadsheets"),
            .init(
                name: "--current-fields", help: "leave out fields of earlier versions of the form"),
            .init(name: "--raw", help: "do not put ' before text that a spreadsheet would run"),
            .init(name: "--units", help: "write 75% and not 75 where the unit is percent"),
            .init(name: "--geo", value: "FIELD", help: "the place that GeoJSON shows"),
            .init(
                name: "--darwin-core", value: "MAPPING",
                help: "an archive for biodiversity databases, as that file says"),
            .init(
                name: "--audit", value: "FILE",
                help: "all of the room as it was signed, and the keys, for others to check"),
        ] + Conditions.options,
        notes: [
            "Rows of repeats go into files of their own beside FILE.csv, into the one FILE.zip,",
            "or into sheets of FILE.xlsx. FILE is replaced only when all of the new one is",
            "written. What --audit writes can be checked without this program:",
            "docs/protocol/bundle.md. It is not encrypted. With --json what is said of the files is",
            "a list `notes` of the answer; of what goes to standard output it stands beside it.",
        ] + Conditions.notes,
        examples: [
            "shared export common-viruses --output common-viruses.csv",
            "shared export household village=koro --output koro.xlsx",
            "shared export --audit clinic.audit",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        if let path = arguments.value("--audit") {
            try refuse(chosen + filtered, with: "--audit", arguments)
            return try audit(session, path)
        }
        guard !arguments.operands.isEmpty else {
            throw syntax.problem("FORM is missing, or --audit FILE")
        }
        let path = arguments.value("--output")
        if let mapping = arguments.value("--darwin-core") {
            try refuse(chosen, with: "--darwin-core", arguments)
            return try DarwinCore.export(session, mapping, to: path)
        }
        let format = try format(arguments, session.wantsJSON)
        try refuseUnused(arguments, format)
        let query = try query(session)
        guard let path, path != "-" else {
            guard format != "zip", format != "xlsx" else {
                throw syntax.problem("--format \(format) needs --output FILE")
            }
            let output = session.output
            let request = session.request(
                "GET", ["export", arguments.operand(0)], query: [("format", format)] + query,
                silence: .reading)
            try session.client().send(request) { bytes in
                output.write(bytes)
                return !output.isClosed
            }
            let files = ExportFiles(session: session, query: query)
            if !output.isClosed, files.isChosen { try files.count()?.notes.forEach(session.note) }
            session.writeNotices(inJSON: true)
            return .done
        }
        // Whether it can be written is known before anything is asked for.
        try OutputFile.requireNoFolder(path)
        try session.settleRoom()
        let files = ExportFiles(session: session, query: query)
        switch format {
        case "csv" where arguments.value("--columns") == nil: try files.csv(to: path)
        case "zip": try files.archive(to: path)
        case "xlsx": try files.workbook(to: path)
        default: try files.one(as: format, to: path)
        }
        return .done
    }

    /// Options that neither of the archives for others heeds: what these hold is fixed, or said in a
    /// mapping.
    private static let chosen = [
        "--format", "--like", "--columns", "--sort", "--limit", "--geo", "--crlf", "--bom", "--raw",
        "--units", "--current-fields",
    ]
    /// Options that a copy of the whole room does not heed beside them.
    private static let filtered = ["--where", "--since", "--author", "--state", "--darwin-core"]

    private static func refuse(
        _ options: [String], with what: String, _ arguments: ParsedArguments, hint: String? = nil
    ) throws(Problem) {
        let given = options.filter { arguments.has($0) || arguments.value($0) != nil }
        guard !given.isEmpty else { return }
        throw Problem(
            .usage, "export: \(what) takes no \(Text.list(given, "or"))",
            hint: hint ?? "Leave it out: it would have no effect.")
    }

    /// Refuses what a format would not heed: somebody may rely on it.
    private static func refuseUnused(
        _ arguments: ParsedArguments, _ format: String
    ) throws(Problem) {
        if arguments.value("--like") != nil {
            try refuse(
                ["--columns", "--units", "--current-fields"], with: "--like", arguments,
                hint: "It writes all columns that the other program has; --columns alone chooses.")
        }
        if arguments.value("--columns") != nil {
            try refuse(["--current-fields"], with: "--columns", arguments)
        }
        let unused =
            switch format {
            case "csv", "zip": ["--geo"]
            case "xlsx": ["--geo", "--crlf", "--bom", "--units"]
            default:
                ["--like", "--crlf", "--bom", "--raw", "--units", "--current-fields"]
                    + (format == "geojson" ? [] : ["--geo"])
            }
        try refuse(unused, with: format == "geojson" ? "GeoJSON" : format.uppercased(), arguments)
    }

    /// What the request says of entries and columns, beside the format.
    private static func query(_ session: Session) throws(Problem) -> ExportFiles.Query {
        let arguments = session.arguments
        var query = try Conditions.query(session, arguments.operands.dropFirst())
        query += arguments.values("--sort").map { (name: "sort", value: $0) }
        if let limit = try arguments.number("--limit") { query.append(("limit", "\(limit)")) }
        for option in ["columns", "like", "geo"] {
            if let value = arguments.value("--\(option)") { query.append((option, value)) }
        }
        for option in ["crlf", "bom", "raw", "units"] where arguments.has("--\(option)") {
            query.append((option, "true"))
        }
        if arguments.has("--current-fields") { query.append(("current", "true")) }
        return query
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
                    "--format is \(Text.list(formats, "or")), not '\(Terminal.plain(format))'")
            }
            return format
        }
        guard let path = arguments.value("--output") else { return wantsJSON ? "json" : "csv" }
        let name = path.lowercased().split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
        guard !["xls", "xlsm", "ods"].contains(ending) else {
            throw Problem(
                .usage,
                "export: no .\(ending) is written, and \(Terminal.plain(path)) would be none",
                hint: "For a spreadsheet: --output "
                    + Shell.quoted(String(path.dropLast(ending.count)) + "xlsx") + ".")
        }
        if ending == "jsonl" { return "ndjson" }
        guard ending.isEmpty || formats.contains(ending) else {
            throw Problem(
                .usage,
                "export: what \(Terminal.plain(path)) is to be is not known: .\(Terminal.plain(ending))",
                hint: "Name it .\(formats.joined(separator: ", .")), or say --format FORMAT.")
        }
        return ending.isEmpty ? "csv" : ending
    }
}
