internal import ShareControl

/// The arguments of one command, checked against its syntax.
struct ParsedArguments {
    let syntax: CommandSyntax
    fileprivate(set) var operands: [String] = []
    fileprivate var values: [String: [String]] = [:]

    /// The operand at that place, which the syntax says is there.
    func operand(_ index: Int) -> String { index < operands.count ? operands[index] : "" }

    func has(_ option: String) -> Bool { values[option] != nil }

    /// The last value given for an option.
    func value(_ option: String) -> String? { values[option]?.last }

    func values(_ option: String) -> [String] { values[option] ?? [] }

    /// The number given for an option, 1 or more; nil where it is not given.
    ///
    /// - Throws: `Problem` with `usage` for anything else.
    func number(_ option: String) throws(Problem) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number > 0 else {
            throw syntax.problem(
                "\(option) needs a number from 1 on, not '\(Terminal.plain(text))'")
        }
        return number
    }
}

extension ParsedArguments {
    /// Reads the words after the command's name.
    init(_ words: [String], _ syntax: CommandSyntax) throws(Problem) {
        self.syntax = syntax
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let option = try OptionWord(word, among: syntax.allOptions, of: syntax)
            guard option.syntax.value != nil else {
                values[option.syntax.name] = [""]
                continue
            }
            let value = try option.value(&rest, of: syntax)
            // As with operands below: most likely a variable that was not set.
            guard !value.isEmpty || option.syntax.mayBeEmpty else {
                throw syntax.problem("\(option.syntax.name) is empty")
            }
            values[option.syntax.name, default: []].append(value)
        }
        // Help is shown however incomplete the rest is.
        if !has("--help") { try checkCount() }
    }

    private func checkCount() throws(Problem) {
        let needed = syntax.operands.filter { $0.count == .one || $0.count == .atLeastOne }
        if operands.count < needed.count {
            throw syntax.problem("\(needed[operands.count].name) is missing")
        }
        let takesMore = syntax.operands.contains { $0.count == .any || $0.count == .atLeastOne }
        if !takesMore, operands.count > syntax.operands.count {
            let extra = operands[syntax.operands.count]
            // `forms show`: people remember the plural.
            let meant = "\(syntax.name.dropLast()) \(operands[0])"
            if syntax.name.hasSuffix("s"), Commands.all.contains(where: { $0.syntax.name == meant })
            {
                throw Problem(
                    .usage, "unknown command '\(syntax.name) \(Terminal.plain(operands[0]))'",
                    hint: "Did you mean `shared \(meant)`?")
            }
            throw syntax.problem("'\(Terminal.plain(extra))' is one argument too many")
        }
        // An empty word is a script's variable that was not set, and names nothing.
        if let place = operands.firstIndex(of: "") {
            let operand = syntax.operands[min(place, syntax.operands.count - 1)]
            guard operand.mayBeEmpty else { throw syntax.problem("\(operand.name) is empty") }
        }
    }
}

/// A word that starts with a dash, matched with what it can mean.
struct OptionWord {
    let syntax: CommandSyntax.Option
    /// What follows `=` in the same word.
    private let attached: String?

    init(
        _ word: String, among options: [CommandSyntax.Option], of command: CommandSyntax? = nil
    ) throws(Problem) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? word
        attached = parts.count > 1 ? String(parts[1]) : nil
        guard
            let found = options.first(where: {
                $0.name == name || name == "-h" && $0.name == "--help"
            })
        else {
            if let command, name == "--room" { throw command.problem("it takes no --room") }
            if let command, let reason = command.refused[name] { throw command.problem(reason) }
            let detail = "unknown option '\(Terminal.plain(name))'"
            // `list FORM --count`: what another command does.
            let other = String(name.drop { $0 == "-" })
            if let command, Commands.all.contains(where: { $0.syntax.name == other }) {
                throw Problem(
                    .usage, "\(command.name): \(detail)",
                    hint: "Did you mean `shared \(other)`?")
            }
            let near = NearestWord.guess(name, among: options.map(\.name))
            guard let command else {
                throw Problem(
                    .usage, detail,
                    hint: near.map { "Did you mean \($0)?" }
                        ?? "See: `shared help`.")
            }
            throw command.problem(near.map { "\(detail); did you mean \($0)?" } ?? detail)
        }
        syntax = found
        if found.value == nil, attached != nil {
            throw command?.problem("\(found.name) takes no value")
                ?? Problem(.usage, "\(found.name) takes no value", hint: "See: `shared help`.")
        }
    }

    /// The option's value: attached, or the next word.
    func value(
        _ rest: inout ArraySlice<String>, of command: CommandSyntax? = nil
    ) throws(Problem) -> String {
        if let attached { return attached }
        if let next = rest.popFirst() { return next }
        let detail = "\(syntax.name) needs a value (\(syntax.value ?? ""))"
        throw command?.problem(detail) ?? Problem(.usage, detail, hint: "See: `shared help`.")
    }
}

extension ParsedArguments {
    /// The language that is asked for, as requests name it.
    var language: [(name: String, value: String)] {
        value("--language").map { [("language", $0)] } ?? []
    }
}

extension CommandSyntax {
    /// A usage error of this command.
    func problem(_ detail: String) -> Problem {
        Problem(.usage, "\(name): \(detail)", hint: "Usage: \(usage)")
    }
}
