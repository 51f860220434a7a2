import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// What is wrong with a condition as forms write it, and what to write instead.
extension ConditionText {
    private static let usual =
        "Conditions are FIELD=VALUE, FIELD>VALUE, FIELD~TEXT, or as forms write them:"
        + " \"age > 39 and village = 'koro'\"."

    func problem(_ error: FilterError, in text: String) -> any Error {
        switch error {
        case .unknownField(let name):
            do throws(ValueError) {
                _ = try schema.parser.position(of: name)
                return Problem(.unknownField, "\(name) has no values", hint: Self.usual)
            } catch {
                guard let hint = valueHint(name, in: text) else { return error }
                return Problem(
                    .unknownField,
                    "the form \(schema.info.formID) has no field \"\(name.prefix(80))\"", hint: hint
                )
            }
        case .syntax(_, let found, let expected, let hint):
            if found.isEmpty, let halfTyped = unfinished(text) { return halfTyped }
            let place = found.isEmpty ? "at the end" : "at \"\(found.prefix(40))\""
            return Problem(
                .badRequest, "\(place) of \"\(text.prefix(80))\" \(expected) was expected",
                hint: partHint(in: text) ?? quoteHint(in: text) ?? nameHint(in: text)
                    ?? labelHint(in: text) ?? hint ?? Self.usual)
        case .unsupported(let what, let hint):
            return Problem(.badRequest, "\(what) cannot be used here", hint: hint ?? Self.usual)
        case .unknownPath:
            return Problem(
                .badRequest, "a condition reads the fields of one entry, and nothing else",
                hint: Self.usual)
        case .tooManyFields(let limit):
            return Problem(
                .badRequest, "the condition reads more than \(limit) fields",
                hint: "Give several conditions; all must hold.")
        }
    }

    /// For a condition that ends in `and` or `or`; nil for any other.
    func unfinished(_ text: String) -> Problem? {
        guard let space = text.lastIndex(of: " "),
            case let last = text[text.index(after: space)...], last == "and" || last == "or"
        else { return nil }
        var rest = text[..<space]
        while rest.last == " " { rest.removeLast() }
        return Problem(
            .badRequest, "a condition is missing after \"\(rest.suffix(60)) \(last)\"",
            hint: "Write one there, or leave out the \(last).")
    }

    /// For a sign behind which nothing stands.
    func nothing(after sign: ShortCondition.Sign, _ name: String, _ hint: String) -> Problem {
        Problem(.badRequest, "nothing stands after \(name)\(sign.text)", hint: hint)
    }

    /// Refuses a word in short that is the name of another field: it may be meant as either.
    func checkNoField(
        _ name: String, _ index: Int?, _ sign: ShortCondition.Sign, _ value: String
    ) throws {
        guard case .compare(let comparison) = sign, let index,
            let other = schema.form.stored.first(where: { $0.name.utf8.elementsEqual(value.utf8) })
        else { return }
        let field = schema.form.stored[index]
        if field.kind.isChoice, (try? schema.parser.value(value, at: index)) != nil { return }
        let fields = "${\(field.name)} \(comparison.rawValue) ${\(other.name)}"
        guard field.kind.storage == .text else {
            throw Problem(
                .badRequest, "\(value) is a field: in short a value stands behind \(name)",
                hint: "Two fields are compared so: '\(fields)'.")
        }
        throw Problem(
            .badRequest, "\(value) is a field too: the word or the field?",
            hint: "The word: \"${\(field.name)} \(comparison.rawValue) '\(value)'\"."
                + " The field: '\(fields)'.")
    }

    /// Refuses a comparison with a text that no entry can hold for, or other ones than it seems.
    func check(_ comparison: RecordExpression.TextComparison) throws {
        let (name, text) = (comparison.name, comparison.text)
        if !comparison.isOrder {
            guard comparison.subject == .author, DeviceKey(text: text) == nil else { return }
            throw Problem(
                .badRequest,
                "_author is an id in an expression, and \"\(text.prefix(80))\" is none",
                hint:
                    "Give it as a condition of its own, beside the other: _author=\(text.prefix(80))"
            )
        }
        guard FieldValue.number(spelledBy: text) == nil else { return }
        let day = DayRange(text, today: today).flatMap { CalendarText.text(ofDay: $0.start) }
        let isTime = type(of: comparison.subject) == .time
        throw Problem(
            .badRequest,
            "forms compare numbers, and \"\(text.prefix(80))\" is a text: no entry would be found",
            hint: isTime
                ? "Give the time as a condition of its own, without quotation marks:"
                    + " \(name)>\(text.prefix(40))"
                : day.map { "Write date('\($0)')." }
                    ?? "Texts are equal or not: = or !=;"
                    + " contains(\(Self.written(name)), '\(text.prefix(40))')"
                    + " finds a part of one.")
    }

    /// For a value without quotation marks where an expression wants them: the `koro` of
    /// `fever > 39 and village=koro`.
    private func valueHint(_ name: String, in text: String) -> String? {
        let words = Self.words(text)
        guard let place = words.indices.dropFirst(2).first(where: { words[$0] == name }),
            ["=", "!=", "<", "<=", ">", ">="].contains(words[place - 1]),
            (try? subject(words[place - 2])) != nil
        else { return nil }
        let before = "\(Self.written(words[place - 2])) \(words[place - 1])"
        if name.lowercased() == "today" {
            return "Here the day is a function: \(before) today()"
        }
        if let day = DayRange(name, today: today).flatMap({ CalendarText.text(ofDay: $0.start) }) {
            return "Here a day is a function: \(before) date('\(day)')"
        }
        return "Here a value stands in quotation marks: \(before) '\(name)';"
            + " or give several conditions, all of which must hold."
    }

    /// For a name with spaces that stands there as it is.
    private func nameHint(in text: String) -> String? {
        let names = schema.form.stored.map(\.name).filter { name in
            name.contains { " ()[]".contains($0) } && text.contains(name)
                && !text.contains("${\(name)}")
        }
        return names.max { $0.utf8.count < $1.utf8.count }.map {
            "Beside other conditions a name with spaces is written so: ${\($0)}"
        }
    }

    /// For a label of several words that is misspelt: `Houshold no=KOR-200`.
    private func labelHint(in text: String) -> String? {
        let words = text.prefix { !"=<>!~".contains($0) }.split(separator: " ")
        guard words.count > 1 else { return nil }
        return schema.parser.nearest(to: words.joined(separator: " ")).map {
            "Did you mean \($0.shown)?"
        }
    }

    /// For `FIELD~TEXT` in an expression.
    private func partHint(in text: String) -> String? {
        guard let parts = parts(text), parts.sign == .contains,
            let (_, index) = try? subject(parts.name)
        else { return nil }
        let words = [" and ", " or "].compactMap { parts.value.firstRange(of: $0)?.lowerBound }
        let part = words.min().map { String(parts.value[..<$0]) } ?? parts.value
        let isSeveral = index.map { schema.form.stored[$0].kind.isSeveral } ?? false
        let alone = ShortCondition(name: parts.name, sign: parts.sign, value: part).unquoted
        return Self.quoted(alone?.value ?? part).map {
            "Here that is a function: \(isSeveral ? "selected" : "contains")"
                + "(\(Self.written(parts.name)), \($0))"
        }
    }

    /// For `FIELD='` and what else begins with a quotation mark that nothing closes.
    private func quoteHint(in text: String) -> String? {
        guard let parts = parts(text), case .compare(let comparison) = parts.sign,
            let quote = parts.value.first, "'\"".contains(quote),
            parts.value.count(where: { $0 == quote }) % 2 == 1, let value = Self.quoted(parts.value)
        else { return nil }
        return "Where the quotation mark is a part of the text:"
            + " \(Self.written(parts.name)) \(comparison.rawValue) \(value)"
    }

    /// A field's name as it stands in an expression.
    private static func written(_ name: String) -> String {
        let isPlain =
            name.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == 95
            } && name.utf8.first.map { !(48...57).contains($0) } == true
        return isPlain || name.hasPrefix("${") ? name : "${\(name)}"
    }

    /// A text as it stands in an expression; nil where it has both kinds of quotation marks.
    private static func quoted(_ text: String) -> String? {
        if !text.contains("'") { return "'\(text)'" }
        return text.contains("\"") ? nil : "\"\(text)\""
    }

    /// Names, signs, and what else has no spaces in it.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var last: Character?
        for character in text {
            func isSign(_ one: Character) -> Bool { "=!<>~".contains(one) }
            if character == " " {
                last = nil
                continue
            }
            if let last, isSign(last) == isSign(character), !"()".contains(character),
                !"()".contains(last)
            {
                words[words.count - 1].append(character)
            } else {
                words.append(String(character))
            }
            last = character
        }
        return words
    }
}
