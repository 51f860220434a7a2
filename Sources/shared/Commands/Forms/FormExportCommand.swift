internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared form export`
enum FormExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "form export", summary: "write a form as a file of other programs",
        operands: [.init(name: "FORM")],
        options: [
            .init(name: "--xlsform", value: "FILE", help: "XLSForm: FILE.xlsx, or FILE.md"),
            .init(name: "--xform", value: "FILE", help: "XForm, for ODK Collect"),
        ],
        notes: [
            "FILE - is standard output. Lists of the room become part of the form, or files that",
            "go beside it.",
        ],
        examples: [
            "shared form export household --xlsform household.xlsx",
            "shared form export household --xform household.xml",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        let request = session.request("GET", ["forms", arguments.operand(0)])
        let definition: JSONValue = try session.client().answer(request)
        let xlsform = arguments.value("--xlsform")
        let xform = arguments.value("--xform")
        guard xlsform != nil || xform != nil else {
            guard session.wantsJSON else {
                throw syntax.problem("one of --xlsform FILE, --xform FILE and --json is needed")
            }
            session.output.line(definition)
            return .done
        }
        guard let object = definition.object else { return .done }
        let form = try ExportedForm(object, session)
        if let path = xlsform {
            let kind = path.lowercased().hasSuffix(".md") ? "md" : "xlsx"
            try write(
                session, try FormHelper.write(kind, JSONValue.object(form.definition).text),
                to: path)
        }
        if let path = xform {
            try write(session, try FormHelper.write("xform", form.withoutMarks), to: path)
        }
        form.notes.forEach(session.diagnostics.note)
        for note in try names(of: form) { session.diagnostics.note(note) }
        return .done
    }

    /// What is said of names that other programs do not take.
    private static func names(of form: ExportedForm) throws(Problem) -> [String] {
        let changes = try FormHelper.renamed(JSONValue.object(form.definition).text)
        guard !changes.isEmpty else { return [] }
        let shown = changes.prefix(8).map { Terminal.plain("\($0.old) is \($0.new)") }
        let more = changes.count > shown.count ? " and \(changes.count - shown.count) more" : ""
        return [
            "other programs take letters, digits, _ - . in names: in the file "
                + shown.joined(separator: ", ") + more
        ]
    }

    private static func write(
        _ session: Session, _ bytes: [UInt8], to path: String
    ) throws(Problem) {
        guard path != "-" else {
            bytes.withUnsafeBytes { session.output.write($0) }
            return
        }
        let file = try OutputFile(path)
        bytes.withUnsafeBytes { file.output.write($0) }
        try file.commit()
        if session.wantsJSON {
            session.output.line(["file": .string(path), "bytes": .integer(Int64(bytes.count))])
        } else {
            session.output.line(
                "wrote \(Text.count(bytes.count, "byte", "bytes")) to \(Terminal.plain(path))")
        }
    }
}
