internal import JSON
internal import ShareControl

/// `FIELD=VALUE` words as the values of a record.
enum Assignments {
    /// The values; `FIELD=` clears.
    ///
    /// - Throws: `Problem` with `usage` for a word without `=` or field, or a field given twice.
    static func parse(_ words: some Sequence<String>, of syntax: CommandSyntax) throws(Problem)
        -> JSONObject
    {
        var values = JSONObject()
        var last: String?
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                let detail = "FIELD=VALUE was expected, not '\(Terminal.plain(word))'"
                guard let last else { throw syntax.problem(detail) }
                // Most likely a text with spaces, of which the shell made several words.
                throw Problem(
                    .usage, "\(syntax.name): \(detail)",
                    hint: "Text with spaces goes in quotes: '\(Terminal.plain("\(last) \(word)"))'."
                )
            }
            last = word
            let field = String(word[..<equals])
            let value = String(word[word.index(after: equals)...])
            guard values[field] == nil else {
                throw syntax.problem("\(Terminal.plain(field)) is given twice")
            }
            values[field] = value.isEmpty ? .null : .string(value)
        }
        return values
    }

    /// Whether a field lies in a repetition, `person[2]/name`, or is one, `person[2]`.
    static func isPath(_ field: String) -> Bool {
        guard let start = field.firstIndex(of: "["), let end = field[start...].firstIndex(of: "]"),
            field[end...].dropFirst().first.map({ $0 == "/" }) ?? true
        else { return false }
        let number = field[field.index(after: start)..<end]
        return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Whether a value is for a field in a repetition.
    static func hasPaths(_ values: JSONObject) -> Bool {
        values.members.contains { isPath($0.key) }
    }

    /// The values of a new entry, with those of fields in repetitions put into the lists of their
    /// repeats; of an entry that is there, put to their rows, of which the others are left alone.
    ///
    /// - Parameter present: the entry that is changed; nil for a new one.
    /// - Throws: `Problem` with `usage` for a repetition behind one that there is not, and for rows
    ///   of a repeat that is given as a whole as well.
    static func nested(
        _ values: JSONObject, in present: JSONObject? = nil
    ) throws(Problem) -> JSONObject {
        var nested = JSONObject()
        var rows = RowAssignments()
        for member in values.members {
            if isPath(member.key) {
                try rows.set(member.value, at: EntryPath(member.key), member.key)
            } else {
                nested[member.key] = member.value
            }
        }
        for member in try rows.values(in: present).members {
            guard nested[member.key] == nil else {
                throw Problem(
                    .usage, "\(Terminal.plain(member.key)) is given as a whole and by its rows",
                    hint: "Give one of the two.")
            }
            nested[member.key] = member.value
        }
        return nested
    }
}

/// The words `on` and `off`.
enum OnOff {
    /// Whether the first operand is `on`.
    ///
    /// - Parameter other: a third word that the command takes, for its error.
    /// - Throws: `Problem` with `usage` for any other word than the two.
    static func read(
        _ arguments: ParsedArguments, or other: String? = nil
    ) throws(Problem) -> Bool {
        switch arguments.operand(0) {
        case "on": return true
        case "off": return false
        default:
            let words = other.map { "'on', 'off' or '\($0)'" } ?? "'on' or 'off'"
            throw arguments.syntax.problem(
                "\(words) was expected, not '\(Terminal.plain(arguments.operand(0)))'")
        }
    }
}
