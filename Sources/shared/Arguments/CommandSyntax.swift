/// What a command is called and takes, for reading its arguments and for its help.
struct CommandSyntax {
    struct Operand {
        enum Count { case one, optional, any, atLeastOne }

        var name: String
        var count = Count.one
        /// Whether the daemon says what is wrong with an empty word.
        var mayBeEmpty = false
    }

    struct Option {
        /// With its dashes.
        var name: String
        /// What its value is called; nil for a switch.
        var value: String?
        var repeats = false
        /// Whether an empty value says something.
        var mayBeEmpty = false
        var help: String
    }

    /// One or two words.
    var name: String
    var summary: String
    var operands: [Operand] = []
    var options: [Option] = []
    /// Whether `--room` means something to it.
    var takesRoom = true
    /// Options that it does not take, each with the reason, where people look for them.
    var refused: [String: String] = [:]
    /// More for its help, in lines of at most 78 characters.
    var notes: [String] = []
    var examples: [String]
    /// That the command has ended, what Ctrl-C leaves behind, and what to do then; nil for a command that only looks.
    var interrupted: (what: String, hint: String)?

    /// The command that shows whether it was done, where no answer has come; nil where nothing is
    /// entered.
    var look: (@Sendable (ParsedArguments) -> String)?

    /// The line that shows how to call it.
    var usage: String { words.joined(separator: " ") }

    /// Its parts, none of which is cut where the line is too long.
    var words: [String] {
        var words = ["shared", name]
        for operand in operands {
            switch operand.count {
            case .one: words.append(operand.name)
            case .optional: words.append("[\(operand.name)]")
            case .any: words.append("[\(operand.name)]...")
            case .atLeastOne: words.append("\(operand.name)...")
            }
        }
        for option in options {
            let text = option.value.map { "\(option.name) \($0)" } ?? option.name
            words.append(option.repeats ? "[\(text)]..." : "[\(text)]")
        }
        return words
    }

    /// The options that it takes, with those that all take.
    var allOptions: [Option] {
        options + Self.common.filter { takesRoom || $0.name != "--room" }
    }

    static let common = [
        Option(
            name: "--room", value: "ROOM", help: "the room to work in, instead of the current one"),
        Option(name: "--json", help: "answer with one JSON document; problems too, on stderr"),
        Option(name: "--socket", value: "PATH", help: "the daemon's socket (or SHARED_SOCKET)"),
        Option(name: "--help", help: "show this"),
    ]
}
