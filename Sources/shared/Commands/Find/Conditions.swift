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

    /// Whether a word is meant as a condition: one, or a day.
    static func isMeant(_ word: String) -> Bool {
        isCondition(word) || word.contains("(") || DayWord.isDay(word)
    }

    /// What a request says.
    ///
    /// - Parameter words: conditions that stand by themselves.
    static func query(
        _ session: Session, _ words: some Sequence<String>
    ) throws(Problem) -> [(name: String, value: String)] {
        let arguments = session.arguments
        let words = Array(words)
        func parts(_ conditions: [String], isAlone: Bool) throws(Problem)
            -> [(name: String, value: String)]
        {
            var parts: [(name: String, value: String)] = []
            for (place, condition) in conditions.enumerated() {
                guard isMeant(condition) else {
                    let word = Terminal.plain(condition)
                    let rest = isAlone ? [] : conditions[(place + 1)...].map { Terminal.plain($0) }
                    throw Problem(
                        .usage, "\(arguments.syntax.name): '\(word)' is no condition: FIELD=VALUE",
                        hint: StrayWord(word: word, rest: rest, session: session).hint)
                }
                parts.append(("where", condition))
            }
            return parts
        }
        var query =
            try parts(arguments.values("--where"), isAlone: true) + parts(words, isAlone: false)
        for option in ["since", "author", "state"] {
            for value in arguments.values("--\(option)") { query.append((option, value)) }
        }
        return query
    }

    /// Whether a word is a condition, and no name of a field.
    static func isCondition(_ word: String) -> Bool {
        word.contains { "=<>~".contains($0) } && !word.hasPrefix("=")
    }
}
