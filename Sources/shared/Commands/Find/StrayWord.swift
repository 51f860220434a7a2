internal import ControlClient
internal import ShareControl

/// What was meant by a word that stands where a condition would, and is none.
struct StrayWord {
    let word: String
    /// The words behind it.
    let rest: [String]
    let session: Session

    private static let signs: Set = ["=", "!=", "<", "<=", ">", ">=", "~"]
    private static let endings: Set = [
        "csv", "xlsx", "zip", "json", "ndjson", "jsonl", "geojson", "svg", "ods", "xls",
    ]

    /// What to write in its place.
    var hint: String {
        if let sure = option ?? file ?? condition { return sure }
        let hint = Self.hint(word, isField: isField)
        let arguments = session.arguments
        guard arguments.syntax.name == ListCommand.syntax.name else { return hint }
        let show = "shared show \(arguments.operand(0)) \(Shell.quoted(word))"
        return "To see the entry called so: `\(show)`. " + hint
    }

    /// For the name of an option without its dashes.
    private var option: String? {
        let options = session.arguments.syntax.options
        guard let option = options.first(where: { $0.name == "--\(word)" }) else { return nil }
        let value = option.value == nil ? nil : rest.first.map { Shell.quoted($0) } ?? option.value
        return "Options have two dashes in front: `\(option.name)\(value.map { " \($0)" } ?? "")`."
    }

    /// For the name of a file.
    private var file: String? {
        let ending = word.lowercased().split(separator: ".").dropFirst().last.map(String.init)
        guard let ending, Self.endings.contains(ending) else { return nil }
        let options = session.arguments.syntax.options.map(\.name)
        let name = Shell.quoted(word)
        for option in ["--output", "--svg"] where options.contains(option) {
            return "The file to write is named so: `\(option) \(name)`."
        }
        return "`shared export \(Shell.quoted(form)) --output \(name)` writes a file."
    }

    /// For a condition in three words.
    private var condition: String? {
        guard rest.count >= 2, Self.signs.contains(rest[0]) else { return nil }
        return "As one word, in quotes: \(Shell.quoted(word + rest[0] + rest[1]))."
    }

    private var form: String {
        session.arguments.operand(session.arguments.syntax.name == "chart" ? 1 : 0)
    }

    /// Whether the form is known to have a field of that name.
    private var isField: Bool {
        let tables = try? FormTable.all(of: String(form.prefix { $0 != "/" }), session)
        return tables?.contains { $0.columns.contains(word) } ?? false
    }

    private static func hint(_ word: String, isField: Bool) -> String {
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
        return isField
            ? "With < or > put it in quotes: \(Shell.quoted("\(word)>39"))."
            : "For instance village=koro, or as forms write it: \"age > 39 and village = 'koro'\"."
    }
}
