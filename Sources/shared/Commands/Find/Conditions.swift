internal import ShareControl

/// The options with which commands say which entries they mean.
enum Conditions {
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "--where", value: "CONDITION", repeats: true,
            help: "only those for which it holds; all must hold"),
        .init(
            name: "--since", value: "DAY",
            help: "only those that were made or changed since: yesterday, 2026-11-22, 3h"),
        .init(
            name: "--author", value: "NAME", repeats: true,
            help: "only those of this device, or of one of several"),
        .init(
            name: "--state", value: "STATE", repeats: true,
            help: "only those with this review; none for those without"),
    ]

    /// Words in place of `--where`, after the operands that a command has.
    static let operand = CommandSyntax.Operand(name: "CONDITION", count: .any)

    static let notes = [
        "A CONDITION is FIELD=VALUE, or with != < <= > >= in the place of =; FIELD~TEXT for",
        "a part of a text or one of several choices; FIELD= for entries without a value; or",
        "as forms write it: \"age > 39 and village = 'koro'\". Days may be today, yesterday,",
        "this-week, last-week, this-month, last-month, 2026-11-22 or 2026-11; a day alone means",
        "entries made on it.",
    ]

    /// What a request says.
    ///
    /// - Parameter words: conditions that stand by themselves.
    static func query(
        _ arguments: ParsedArguments, _ words: some Sequence<String>
    ) throws(Problem) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        for condition in arguments.values("--where") + Array(words) {
            guard
                isCondition(condition) || condition.contains("(") || DayWord.isDay(condition)
            else {
                let word = Terminal.plain(condition)
                var hint = Self.hint(word)
                if arguments.syntax.name == ListCommand.syntax.name {
                    let show = "shared show \(arguments.operand(0)) \(Shell.quoted(word))"
                    hint = "To see the entry called so: `\(show)`. " + hint
                }
                throw Problem(
                    .usage, "\(arguments.syntax.name): '\(word)' is no condition: FIELD=VALUE",
                    hint: hint)
            }
            query.append(("where", condition))
        }
        for option in ["since", "author", "state"] {
            for value in arguments.values("--\(option)") { query.append((option, value)) }
        }
        return query
    }

    /// What to write in the place of a word that is none.
    private static func hint(_ word: String) -> String {
        let words = word.split(separator: " ").map { $0.lowercased() }
        let day = words.joined(separator: "-")
        if DayWord.isDay(day) { return "As one word: \(day)." }
        if words.count > 2, words[1] == "is", ["null", "empty"].contains(words[words.count - 1]) {
            let sign = words.contains("not") ? "!=" : "="
            let name = word.prefix { $0 != " " }
            let what = words.contains("not") ? "with" : "without"
            return "Entries \(what) a value: \(Shell.quoted(name + sign))."
        }
        // A sign without quotes the shell has taken, with what stood behind it.
        return words.count == 1
            ? "With < or > put it in quotes: \(Shell.quoted("\(word)>39"))."
            : "For instance village=koro, or as forms write it: \"age > 39 and village = 'koro'\"."
    }

    /// Whether a word is a condition, and no name of a field.
    static func isCondition(_ word: String) -> Bool {
        word.contains { "=<>~".contains($0) } && !word.hasPrefix("=")
    }
}
