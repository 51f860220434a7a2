internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// What a shell completes words to: commands and options from their syntax, and forms, fields,
/// devices and rooms from the daemon, where it runs.
enum Completion {
    /// The first word of what the shells call.
    static let word = "__complete"

    /// Candidates for the last of the words, which may be empty; those before it are whole.
    ///
    /// Shells put in what they are told as it is, and people run it: what a shell takes for anything but
    /// one word is none, whoever has called a device, a room or a choice so.
    static func candidates(for words: [String]) -> [String] {
        let begun = words.last ?? ""
        return all(Array(words.dropLast()), begun)
            .filter { $0.hasPrefix(begun) && Shell.isPlain($0) }
    }

    private static func all(_ before: [String], _ begun: String) -> [String] {
        let found = Commands.all.filter { command in
            before.starts(with: command.syntax.name.split(separator: " ").map(String.init))
        }.max { $0.syntax.name.utf8.count < $1.syntax.name.utf8.count }
        guard let syntax = found?.syntax else {
            let names = Commands.all.map { $0.syntax.name.split(separator: " ").map(String.init) }
            let before = before.first == "help" ? Array(before.dropFirst()) : before
            let next = names.filter { $0.starts(with: before) && $0.count > before.count }
                .map { $0[before.count] }
            return Set(next + (before.isEmpty ? ["help"] : [])).sorted()
        }
        let arguments = before.dropFirst(syntax.name.split(separator: " ").count)
        if begun.hasPrefix("-") { return syntax.allOptions.map(\.name) }
        if let last = arguments.last,
            let option = syntax.allOptions.first(where: { $0.name == last }),
            let value = option.value
        {
            let form = form(of: syntax, Array(arguments))
            switch option.name {
            case "--columns": return columns(begun, of: form)
            case "--author": return names("members", "name", orID: false)
            case "--where" where syntax.allOptions.contains { $0.name == "--forms" }:
                return ScopeOptions.completions(of: Array(arguments)) { fields(of: $0) }
            default: break
            }
            return value == "COLUMN=FIELD" ? maps(begun, of: form) : values(of: value, form: form)
        }
        return operand(of: syntax, Array(arguments), begun)
    }

    /// What may stand in the place that is reached.
    private static func operand(
        of syntax: CommandSyntax, _ arguments: [String], _ begun: String
    ) -> [String] {
        let given = operands(of: syntax, arguments)
        let operands = syntax.operands
        guard let last = operands.last else { return [] }
        let place = given.count
        let isRepeated = operands.contains { $0.count == .any || $0.count == .atLeastOne }
        guard place < operands.count || isRepeated else { return [] }
        let more =
            operands.first?.name == EntryOperand.operand.name
            ? entries(given, begun, areSeveral: several.contains(syntax.name)) : []
        return more
            + values(
                of: place < operands.count ? operands[place].name : last.name,
                form: form(of: syntax, arguments))
    }

    /// What may go on naming an entry: forms, and keys that have what is begun in them.
    private static func entries(
        _ given: [String], _ begun: String, areSeveral: Bool
    ) -> [String] {
        let forms = names("forms", "form_id")
        guard let form = given.first else {
            return forms + (begun.isEmpty ? [] : forms.flatMap { keys(of: $0, at: 0, begun) })
        }
        let isForm = forms.contains(form)
        guard !given.contains(where: { $0.contains("=") }) else { return [] }
        return isForm
            ? keys(of: form, at: given.count - 1, begun, goesOn: areSeveral) : []
    }

    /// Commands that take several entries of a form.
    private static let several: Set = ["show", "review", "delete"]

    /// Fields with commas between them, as far as they are typed.
    private static func columns(_ begun: String, of form: String) -> [String] {
        let typed = begun.lastIndex(of: ",").map { begun[...$0] } ?? ""
        return values(of: "FIELD", form: form).map { typed + $0 }
    }

    /// What a column of a file may be: a field, or nothing of the form's.
    private static func maps(_ begun: String, of form: String) -> [String] {
        guard let equals = begun.lastIndex(of: "=") else { return [] }
        let column = begun[...equals]
        return [String(column)] + values(of: "FIELD", form: form).map { column + $0 }
            + (form.contains("/") ? ["\(column)PARENT_KEY"] : [])
    }

    /// Some values of a field of a form's key.
    private static func keys(
        of form: String, at place: Int, _ begun: String, goesOn: Bool = false
    ) -> [String] {
        let key = definition(of: form)["key"]
        let fields = (key?.array ?? key.map { [$0] } ?? []).compactMap(\.string)
        let place = goesOn && !fields.isEmpty ? place % fields.count : place
        guard place < fields.count else { return [] }
        let query =
            [(name: "limit", value: "\(keysShown)")]
            + (begun.isEmpty ? [] : [(name: "where", value: "\(fields[place])~\(begun)")])
        let found = answer(["records", form], query)?.array ?? []
        return Set(found.compactMap { $0.object?[fields[place]] }.map { Text.value($0) }).sorted()
    }

    private static let keysShown = 200

    /// The words that are no options and no values of options.
    private static func operands(of syntax: CommandSyntax, _ arguments: [String]) -> [String] {
        var given: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                given.append(word)
                continue
            }
            if syntax.allOptions.first(where: { $0.name == word })?.value != nil {
                _ = rest.popFirst()
            }
        }
        return given
    }

    /// The form that is named so far; nothing where none is.
    private static func form(of syntax: CommandSyntax, _ arguments: [String]) -> String {
        let given = operands(of: syntax, arguments)
        let place = syntax.operands.firstIndex { $0.name.hasPrefix("FORM") } ?? 0
        return place < given.count ? given[place] : ""
    }

    /// What the name of an operand or of an option's value stands for.
    private static func values(of name: String, form: String) -> [String] {
        switch name {
        case "FORMAT": return ExportCommand.formats
        case "KIND": return ["pie", "bar", "line", "histogram", "points"]
        case _ where name.contains("|") && name == name.lowercased():
            return name.split(separator: "|").map(String.init)
        case "ROLE":
            return ["owner", "editor", "reviewer", "collector", "contributor", "viewer"]
        case "ROOM", "CODE|ROOM": return names("rooms", "name")
        case "DEVICE": return names("members", "name")
        case _ where name.hasPrefix("FORM") && !name.contains("FILE") && !name.contains("."):
            return names("forms", "form_id")
        case "PERIOD": return ["day", "week", "month"]
        case "WHAT": return ["count", "sum", "mean", "min", "max", "median"]
        case "STATE": return ReviewState.allCases.map(\.rawValue)
        case "FIELD":
            return fields(of: form).filter { $0.hasSuffix("=") }.map { String($0.dropLast()) }
        case _ where name.hasPrefix("FIELD") || name == "CONDITION": return fields(of: form)
        default: return []
        }
    }

    /// - Parameter orID: whether the id stands for what is called by a name that is no plain word.
    private static func names(_ path: String, _ member: String, orID: Bool = true) -> [String] {
        (answer([path])?.array ?? []).compactMap { item in
            let name = item.object?[member]?.string
            guard orID, let text = name, !Shell.isPlain(text) else { return name }
            return item.object?["id"]?.string.map(Text.short)
        }
    }

    /// `field=`, and for choices each `field=choice`.
    private static func fields(of form: String) -> [String] {
        let definition = definition(of: form)
        let lists = definition["choices"]?.object ?? definition["lists"]?.object
        return (definition["fields"]?.array ?? []).flatMap { field -> [String] in
            guard let name = field.object?["name"]?.string else { return [] }
            let type = field.object?["type"]?.string ?? ""
            let list =
                field.object?["list"]?.string ?? type.split(separator: " ").last.map(String.init)
            let choices = list.flatMap { lists?[$0]?.array } ?? []
            let values = choices.compactMap { $0.object?["name"]?.string ?? $0.string }
            return ["\(name)="] + values.map { "\(name)=\($0)" }
        }
    }

    /// A form, or that of an entry with this key; empty where there is none.
    private static func definition(of name: String) -> JSONObject {
        guard !name.isEmpty else { return JSONObject() }
        let form =
            answer(["forms", name])
            ?? answer(["record", name, "view"])?.object?["form"]?.string
            .flatMap { answer(["forms", $0]) }
        let shown = form?.object ?? JSONObject()
        return shown["definition"]?.object ?? shown
    }

    /// A short look at the daemon; nil where it does not run.
    private static func answer(
        _ path: [String], _ query: [(name: String, value: String)] = []
    ) -> JSONValue? {
        var environment: [String: String] = [:]
        for name in ["SHARED_SOCKET", "XDG_RUNTIME_DIR"] {
            environment[name] = Terminal.variable(name)
        }
        guard let location = try? SocketLocation(option: nil, environment: environment) else {
            return nil
        }
        return try? ControlClient(location).answer(
            ControlRequest("GET", path, query: query, silence: .seconds(2)))
    }
}
