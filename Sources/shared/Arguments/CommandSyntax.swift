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
    /// More for its help, in lines of at most 78 characters.
    var notes: [String] = []
    var examples: [String]
    /// What Ctrl-C leaves behind, and what to do then; nil for a command that only looks.
    var interrupted: (what: String, hint: String)?

    /// The line that shows how to call it.
    var usage: String {
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
        return words.joined(separator: " ")
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

/// Guesses which word was meant.
enum Suggestion {
    /// What other programs call commands of this one.
    static let synonyms = [
        "ls": "list", "log": "history", "rm": "delete", "new": "add", "find": "search",
        "grep": "search", "who": "members", "devices": "peers", "nearby": "rooms --nearby",
        "pull": "sync", "send": "push", "commit": "push", "check": "doctor", "plot": "chart",
        "sum": "stats", "revert": "undo", "init": "create", "info": "status",
    ]

    /// The candidate nearest to `word`; nil where none is near.
    static func nearest(_ word: String, among candidates: [String]) -> String? {
        let limit = max(1, min(3, word.count / 2))
        // A word that was cut short is nearer than its length says.
        if word.count >= 2, let longer = candidates.first(where: { $0.hasPrefix(word) }) {
            return longer
        }
        let near = candidates.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= limit }
        return near.min { $0.distance < $1.distance }?.word
    }

    /// How many letters to add, remove, replace or swap with their neighbour.
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.lowercased().utf8.prefix(64))
        let b = Array(b.lowercased().utf8.prefix(64))
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            before = last
            last = row
        }
        return last.last ?? 0
    }
}
