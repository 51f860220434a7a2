internal import JSON
internal import ShareControl

/// `shared form infer`
enum FormInferCommand: Command {
    static let syntax = CommandSyntax(
        name: "form infer", summary: "propose a form for a CSV file",
        operands: [.init(name: "FILE.csv")],
        options: [
            .init(name: "--form", value: "FORM", help: "its form_id; else the name of the file"),
            .init(
                name: "--dates", value: "dmy|mdy|ymd",
                help: "the order of day, month and year in its dates"),
            .init(name: "--decimal", value: "SIGN", help: ", where 38,2 is a number"),
            .init(name: "--output", value: "FILE.json", help: "the file, instead of stdout"),
        ],
        takesRoom: false,
        notes: [
            "Types, choices, what is required and the key are guessed from all rows: look at",
            "them, correct them, then `shared form add` and `shared import`. Dates and numbers",
            "are read as import does; where it has to be told how, that is said.",
        ],
        examples: [
            "shared form infer households.csv --output household.json",
            "shared form infer haushalte.csv --dates dmy --decimal ,",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        let id = session.arguments.value("--form") ?? formID(stem)
        let options = try options(session.arguments)
        let answer = try FormHelper.ask(["infer", path, id] + options)
        let text = answer["definition"]?.string ?? ""
        let target = session.arguments.value("--output").flatMap { $0 == "-" ? nil : $0 }
        if let target {
            let file = try OutputFile(target)
            Array(text.utf8).withUnsafeBytes { file.output.write($0) }
            try file.commit()
        }
        if session.wantsJSON {
            session.output.line(.object(answer))
        } else if let target {
            session.output.line("wrote \(Terminal.plain(target))")
        } else {
            Array(text.utf8).withUnsafeBytes { session.output.write($0) }
        }
        for note in (answer["notes"]?.array ?? []).compactMap(\.string) {
            session.diagnostics.note(note)
        }
        return .done
    }

    /// How the file is said to write dates and numbers, as the helper takes it.
    private static func options(_ arguments: ParsedArguments) throws(Problem) -> [String] {
        var options: [String] = []
        for (name, values, what) in [
            ("dates", ["dmy", "mdy", "ymd"], "order of dates"),
            ("decimal", [",", "."], "decimal sign"),
        ] {
            guard let value = arguments.value("--\(name)") else { continue }
            guard values.contains(value) else {
                throw syntax.problem("no \(what) \"\(value)\"; there are \(Text.list(values))")
            }
            options.append("\(name)=\(value)")
        }
        return options
    }

    /// The nearest form_id to the name of a file.
    private static func formID(_ name: String) -> String {
        let kept = name.unicodeScalars.map { scalar -> Character in
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-_.".unicodeScalars.contains(scalar))
            return isPlain ? Character(scalar) : "-"
        }
        let id = String(kept.prefix(60))
        return id.first?.isLetter == true ? id : "form-\(id)"
    }
}
