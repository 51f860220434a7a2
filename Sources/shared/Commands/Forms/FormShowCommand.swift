internal import ControlClient
internal import Expressions
internal import JSON
internal import ShareControl

/// `shared form show`
enum FormShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "form show", summary: "the questions of a form", operands: [.init(name: "FORM")],
        options: [
            .init(name: "--language", value: "LANGUAGE", help: "of labels and hints"),
            .init(
                name: "--by", value: "DEVICE",
                help: "the version of this device, where several have changed it at once"),
        ],
        notes: [
            "* marks what must be answered. With --json: the definition, as `shared form add`",
            "takes it.",
        ],
        examples: ["shared form show common-viruses"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let request = session.request(
            "GET", ["forms", session.arguments.operand(0)],
            query: session.arguments.value("--by").map { [("by", $0)] } ?? [])
        try session.answer(request) { (definition: JSONObject) throws(Problem) in
            var sheet = QuestionSheet(
                definition, language: session.arguments.value("--language"))
            for line in sheet.lines() {
                guard session.output.isTerminal else {
                    session.output.line(line)
                    continue
                }
                let indent = line.prefix { $0 == " " }.count
                session.output.text(String(line.dropFirst(indent)), indent: indent)
            }
            if let language = session.arguments.value("--language"),
                !sheet.languages.contains(where: { LanguageName.isMeant($0, by: language) })
            {
                session.diagnostics.note(MissingLanguage.note(language, among: sheet.languages))
            }
            try noteParallel(definition["form_id"]?.string ?? "", session)
        }
        return .done
    }

    /// Says that others asked something else in a version that is not in force.
    private static func noteParallel(_ form: String, _ session: Session) throws(Problem) {
        let forms: [FormAnswer] = try session.client().answer(session.request("GET", ["forms"]))
        guard let parallel = forms.first(where: { $0.formID == form })?.parallel else { return }
        session.diagnostics.note(ParallelFormText.line(parallel))
    }
}

/// A form as people read it on paper: its questions one below the other, with what an answer can
/// be and when each is asked.
struct QuestionSheet {
    private let definition: JSONObject
    private let language: String?
    private var number = 0

    /// Of one list; the others are counted.
    private static let choicesShown = 12

    init(_ definition: JSONObject, language: String?) {
        self.definition = definition
        self.language = language ?? definition["default_language"]?.string
    }

    /// Those that the form has texts in, in the order in which they come.
    var languages: [String] {
        var found: [String] = []
        func add(_ language: String) { if !found.contains(language) { found.append(language) } }
        func add(textsOf object: JSONObject?) {
            guard let object else { return }
            for name in ["title", "label", "hint", "constraint_message"] {
                for text in object[name]?.object?.members ?? [] { add(text.key) }
            }
            for field in object["fields"]?.array ?? [] { add(textsOf: field.object) }
        }
        if let language = definition["default_language"]?.string { add(language) }
        add(textsOf: definition)
        for list in definition["lists"]?.object?.members ?? [] {
            for choice in list.value.array ?? [] { add(textsOf: choice.object) }
        }
        return found
    }

    mutating func lines() -> [String] {
        let id = Terminal.plain(definition["form_id"]?.string ?? "")
        let version = Terminal.plain(definition["version"]?.string ?? "")
        let title = text(definition["title"])
        var lines = [
            "\(title.isEmpty || title == id ? id : "\(title) (\(id))"), version \(version)"
        ]
        let key = (definition["key"]?.array ?? []).compactMap(\.string)
        if !key.isEmpty { lines.append("key: \(Terminal.plain(key.joined(separator: ", ")))") }
        lines.append("")
        return lines + fields(definition["fields"], indent: "")
    }

    private mutating func fields(_ json: JSONValue?, indent: String) -> [String] {
        var lines: [String] = []
        for field in (json?.array ?? []).compactMap(\.object) {
            let type = field["type"]?.string ?? "text"
            switch type {
            case "group", "repeat":
                let name = text(field["label"])
                let title = name.isEmpty ? Terminal.plain(field["name"]?.string ?? "") : name
                lines.append(
                    indent + (type == "repeat" ? "\(title), \(Self.times(field)):" : "\(title):"))
                lines += conditions(of: field, indent + "    ")
                lines += fields(field["fields"], indent: indent + "    ")
            case "start", "end", "today", "deviceid", "username":
                lines.append(
                    "\(indent)     \(Terminal.plain(field["name"]?.string ?? type)): filled in by"
                        + " the device")
            default: lines += question(field, type, indent)
            }
        }
        return lines
    }

    /// `1 to 4 times`
    private static func times(_ field: JSONObject) -> String {
        if field["repeat_count"] != nil { return "as often as the form says" }
        func number(_ name: String) -> String? {
            field["x"]?.object?[name].map { Terminal.plain(Text.value($0)) }
        }
        return switch (number("min"), number("max")) {
        case (let least?, let most?): "\(least) to \(most) times"
        case (let least?, nil): "at least \(least) times"
        case (nil, let most?): "up to \(most) times"
        case (nil, nil): "any number of times"
        }
    }

    private mutating func question(
        _ field: JSONObject, _ type: String, _ indent: String
    ) -> [String] {
        number += 1
        let name = Terminal.plain(field["name"]?.string ?? "")
        let label = text(field["label"])
        let isRequired =
            Condition.isTrue(field["required"]) && !Condition.isTrue(field["read_only"])
        let unit = field["x"]?.object?["unit"]?.string.map { ", in \(Terminal.plain($0))" } ?? ""
        let lead = "\(indent)\(Terminal.pad("\(number)", 3, right: true))  "
        var lines = ["\(lead)\(label.isEmpty ? name : label)\(isRequired ? " *" : "")"]
        let inner = indent + "     "
        let bounds = type == "range" ? Self.bounds(field["parameters"]?.object) : ""
        lines.append("\(inner)\(name): \(Terminal.plain(type))\(bounds)\(unit)")
        let hint = text(field["hint"])
        if !hint.isEmpty { lines.append("\(inner)\(hint)") }
        lines += choices(of: field, inner)
        return lines + conditions(of: field, inner)
    }

    /// `, 0 to 10 in steps of 2`
    private static func bounds(_ parameters: JSONObject?) -> String {
        func number(_ name: String) -> String? { parameters?[name].map { Text.value($0) } }
        let ends = ", \(number("start") ?? "0") to \(number("end") ?? "10")"
        return Terminal.plain(ends + (number("step").map { " in steps of \($0)" } ?? ""))
    }

    private func choices(of field: JSONObject, _ indent: String) -> [String] {
        guard let list = field["list"]?.string else { return [] }
        guard let choices = definition["lists"]?.object?[list]?.array else {
            return ["\(indent)choices: \(Terminal.plain(list))"]
        }
        var lines = choices.prefix(Self.choicesShown).map { choice -> String in
            let object = choice.object
            let name = Terminal.plain(object?["name"]?.string ?? Text.value(choice))
            let label = text(object?["label"])
            return "\(indent)  - \(label.isEmpty ? name : "\(label) (\(name))")"
        }
        let more = choices.count - lines.count
        if more > 0 { lines.append("\(indent)  and \(Text.count(more, "more", "more"))") }
        return lines
    }

    private func conditions(of field: JSONObject, _ indent: String) -> [String] {
        var lines: [String] = []
        func add(_ what: String, _ name: String, in object: JSONObject?) {
            guard let expression = object?[name]?.string, !expression.isEmpty else { return }
            lines.append("\(indent)\(what) \(Terminal.plain(ExpressionWords.of(expression)))")
        }
        add("asked only if", "relevant", in: field)
        if case .string(let condition)? = field["required"], !Condition.isTrue(field["required"]),
            !["", "no", "false", "false()"].contains(condition.lowercased())
        {
            lines.append(
                "\(indent)must be answered if \(Terminal.plain(ExpressionWords.of(condition)))")
        }
        add("must be:", "constraint", in: field)
        let message = text(field["constraint_message"])
        if !message.isEmpty { lines.append("\(indent)  else: \(message)") }
        add("is worked out:", "calculation", in: field)
        add("begins with:", "default", in: field)
        add("only choices with", "choice_filter", in: field)
        add("repeated", "repeat_count", in: field)
        let own = field["x"]?.object
        add("only entries with", "where", in: own)
        add("flagged if", "warn", in: own)
        let warning = text(own?["warn_message"])
        if !warning.isEmpty { lines.append("\(indent)  with: \(warning)") }
        let tip = text(own?["tip"])
        if !tip.isEmpty { lines.append("\(indent)  tip: \(tip)") }
        if own?["persist"] == .bool(false) { lines.append("\(indent)only asked, not stored") }
        return lines
    }

    /// The text of `French (fr)` for `French (fr)`, `french` or `fr`.
    private static func text(of texts: JSONObject, in language: String) -> JSONValue? {
        if let text = texts[language] { return text }
        return texts.members.first { LanguageName.isMeant($0.key, by: language) }?.value
    }

    /// A text, or the text of the language that is wanted.
    private func text(_ json: JSONValue?) -> String {
        if let text = json?.string { return Terminal.plain(text) }
        guard let texts = json?.object else { return "" }
        let chosen = language.flatMap { Self.text(of: texts, in: $0) } ?? texts.members.first?.value
        return Terminal.plain(chosen?.string ?? "")
    }
}

/// Members of a form that may be a condition or plainly true.
enum Condition {
    /// Whether a member is plainly true.
    static func isTrue(_ json: JSONValue?) -> Bool {
        switch json {
        case .bool(let value): value
        case .string(let text): ["yes", "true", "true()"].contains(text.lowercased())
        default: false
        }
    }
}
