internal import ShareControl

/// What the user asked for, read from the words of the command line.
struct Invocation {
    enum Action {
        case version
        case overview
        /// Every command with what it does.
        case everything
        case help(any Command.Type)
        /// The commands that begin with the same word.
        case family(String, [any Command.Type])
        case run(any Command.Type, ParsedArguments)
        /// What a shell may complete the last of these words to.
        case candidates([String])
    }

    private(set) var action = Action.overview
    private(set) var wantsJSON = false
    private(set) var room: String?
    private(set) var socket: String?

    /// Reads all words.
    ///
    /// - Throws: `Problem` with `usage`; `wantsJSON` is right also then.
    mutating func read(_ words: [String]) throws(Problem) {
        if words.first == Completion.word {
            action = .candidates(Array(words.dropFirst()))
            return
        }
        wantsJSON = words.prefix { $0 != "--" }.contains("--json")
        var rest = words[...]
        guard let name = try commandName(&rest) else { return }
        if name == "help" { return try readHelp(Array(rest)) }
        if let family = Self.family(name), Self.asksForHelp(rest) {
            action = .family(name, family)
            return
        }
        let command = try find(name, &rest)
        let arguments = try ParsedArguments(Array(rest), command.syntax)
        if arguments.has("--help") {
            action = .help(command)
            return
        }
        room = arguments.value("--room") ?? room
        socket = arguments.value("--socket") ?? socket
        guard room == nil || command.syntax.takesRoom else {
            throw command.syntax.problem("it takes no --room")
        }
        guard room != "" else { throw command.syntax.problem("--room is empty") }
        action = .run(command, arguments)
    }

    /// Takes the common options and the word after them; nil where there is nothing to run.
    private mutating func commandName(_ rest: inout ArraySlice<String>) throws(Problem) -> String? {
        let version = CommandSyntax.Option(name: "--version", help: "")
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else { return word }
            let option = try OptionWord(word, among: CommandSyntax.common + [version])
            switch option.syntax.name {
            case "--version":
                action = .version
                return nil
            case "--help": return nil
            case "--room": room = try option.value(&rest)
            case "--socket": socket = try option.value(&rest)
            default: break
            }
        }
        throw Problem(.usage, "no command was given", hint: "See what there is: `shared help`.")
    }

    private mutating func readHelp(_ words: [String]) throws(Problem) {
        var rest = words.filter { !$0.hasPrefix("-") }[...]
        guard let name = rest.popFirst(), !["help", "start"].contains(name) else {
            if words.contains("--all") { action = .everything }
            return
        }
        if let family = Self.family(name), rest.isEmpty {
            action = .family(name, family)
            return
        }
        action = .help(try find(name, &rest))
    }

    /// The commands that need another word after this one; nil where it is a command by itself.
    private static func family(_ name: String) -> [any Command.Type]? {
        guard !Commands.all.contains(where: { $0.syntax.name == name }) else { return nil }
        let family = Commands.all.filter { $0.syntax.name.hasPrefix("\(name) ") }
        return family.isEmpty ? nil : family
    }

    /// Whether help is the first that is asked for, before another word.
    private static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
        words.prefix { $0.hasPrefix("-") && $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// The command of that name, which may take a second word from `rest`.
    private func find(
        _ name: String, _ rest: inout ArraySlice<String>
    ) throws(Problem) -> any Command.Type {
        let all = Commands.all
        if let second = rest.first,
            let command = all.first(where: { $0.syntax.name == "\(name) \(second)" })
        {
            rest = rest.dropFirst()
            return command
        }
        if let command = all.first(where: { $0.syntax.name == name }) { return command }
        guard let family = Self.family(name) else {
            let names = all.compactMap {
                $0.syntax.name.split(separator: " ").first.map(String.init)
            }
            let near =
                NearestWord.synonyms[name] ?? NearestWord.guess(name, among: names + ["help"])
            throw Problem(
                .usage, "unknown command '\(Terminal.plain(name))'",
                hint: near.map { "Did you mean `shared \($0)`?" }
                    ?? "See what there is: `shared help`.")
        }
        let choices = family.map { "shared \($0.syntax.name)" }.joined(separator: ", ")
        guard let second = rest.first, !second.hasPrefix("-") else {
            throw Problem(.usage, "'\(name)' needs another word", hint: "One of: \(choices).")
        }
        let near = NearestWord.guess(
            "\(name) \(second)", among: family.map { $0.syntax.name })
        throw Problem(
            .usage, "unknown command '\(name) \(Terminal.plain(second))'",
            hint: near.map { "Did you mean `shared \($0)`?" } ?? "One of: \(choices).")
    }
}
