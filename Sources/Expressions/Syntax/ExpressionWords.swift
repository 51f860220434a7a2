/// Expressions of a form as people say them; what has no words stays as it is written.
package enum ExpressionWords {
    /// `. > 30 and . < 45` as `the answer is more than 30 and the answer is less than 45`.
    ///
    /// - Parameter called: what people call a field that is named there.
    package static func of(
        _ expression: String, called: (String) -> String = { $0 }
    ) -> String {
        var words = ""
        var rest = Substring(expression)
        while let next = rest.first {
            if next == "$", let name = reference(&rest) {
                words += called(name)
            } else if next == "'" || next == "\"" {
                rest.removeFirst()
                let text = rest.prefix { $0 != next }
                rest = rest.dropFirst(text.count + 1)
                words += text.isEmpty ? "nothing" : String(text)
            } else if let (sign, word) = signs.first(where: { rest.hasPrefix($0.sign) }) {
                rest.removeFirst(sign.count)
                words += " \(word) "
            } else if next == ".", !isPartOfName(words.last), !isPartOfName(rest.dropFirst().first)
            {
                rest.removeFirst()
                words += "the answer"
            } else {
                words.append(rest.removeFirst())
            }
        }
        return words.split { $0.isWhitespace }.joined(separator: " ")
    }

    private static let signs: [(sign: String, word: String)] = [
        ("!=", "is not"), ("<=", "is at most"), (">=", "is at least"), ("=", "is"),
        ("<", "is less than"), (">", "is more than"), ("today()", "today"), ("now()", "now"),
    ]

    private static func isPartOfName(_ character: Character?) -> Bool {
        guard let character else { return false }
        return character.isLetter || character.isNumber || "._/".contains(character)
    }

    /// Takes `${name}` off the front.
    private static func reference(_ rest: inout Substring) -> String? {
        guard rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") else { return nil }
        let name = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
        rest = rest[rest.index(after: end)...]
        return name.split { $0.isWhitespace }.joined(separator: " ")
    }
}
