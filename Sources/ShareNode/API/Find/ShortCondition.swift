import ShareCore
import ShareStore

/// A condition in short, in its three parts: `fever>39`.
struct ShortCondition: Equatable {
    enum Sign: Equatable {
        case compare(RecordQuery.Comparison)
        /// `~`
        case contains

        var text: String {
            switch self {
            case .compare(let comparison): comparison.rawValue
            case .contains: "~"
            }
        }
    }

    let name: String
    let sign: Sign
    let value: String
    /// Whether the value is one plain word, or nothing.
    let isPlain: Bool
    /// Whether the value is surely no text that somebody looks for.
    let looksLikeExpression: Bool

    /// Nil where no sign stands behind a name.
    ///
    /// - Parameter isName: whether a text with spaces or brackets is a name.
    init?(_ text: String, isName: (String) -> Bool = { _ in false }) {
        guard let position = text.firstIndex(where: { "=!<>~".contains($0) }) else { return nil }
        let name = ShortCondition.trimmed(text[..<position])
        var rest = text[position...]
        let signs: [(text: String, sign: Sign)] = [
            ("!=", .compare(.unequal)), ("<=", .compare(.lessOrEqual)),
            (">=", .compare(.greaterOrEqual)), ("=", .compare(.equal)), ("<", .compare(.less)),
            (">", .compare(.greater)), ("~", .contains),
        ]
        guard let found = signs.first(where: { rest.hasPrefix($0.text) }) else { return nil }
        sign = found.sign
        rest = rest.dropFirst(found.text.count)
        let value = rest.allSatisfy { $0 == " " } ? "" : ShortCondition.trimmed(rest)
        guard !name.isEmpty,
            !name.contains(where: { " '\"()[]".contains($0) }) || isName(name)
        else { return nil }
        self.name = name
        isPlain = !value.contains { " \t'\"()[]$".contains($0) }
        let hasSigns = value.contains { "=<>(".contains($0) }
        let hasWords = value.contains(" and ") || value.contains(" or ")
        // A part of a text may begin with a quotation mark; one that is closed is meant as in forms.
        let quotes =
            if let quote = value.first, "'\"".contains(quote) {
                value.count { $0 == quote }
            } else { 0 }
        let isQuoted = quotes > 0 && (found.sign != .contains || quotes % 2 == 0)
        looksLikeExpression = isQuoted || value.contains("${") || hasSigns && hasWords
        self.value = value
    }

    init(name: String, sign: Sign, value: String) {
        (self.name, self.sign, self.value) = (name, sign, value)
        (isPlain, looksLikeExpression) = (true, false)
    }

    /// The same with the text that stands in quotation marks as its value; nil where it has none, or
    /// more behind it.
    var unquoted: ShortCondition? {
        guard let quote = value.first, quote == "'" || quote == "\"", value.last == quote,
            value.count > 1
        else { return nil }
        let inner = value.dropFirst().dropLast()
        return inner.contains(quote)
            ? nil : ShortCondition(name: name, sign: sign, value: String(inner))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// A day that stands in an expression outside quotation marks, where it would be computed.
    static func day(in text: String) -> String? {
        var quote: UInt8?
        let bytes = Array(text.utf8)
        for (position, byte) in bytes.enumerated() {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if position + 10 <= bytes.count {
                let part = String(decoding: bytes[position..<position + 10], as: UTF8.self)
                if CalendarText.isDate(Array(part.utf8)) { return part }
            }
        }
        return nil
    }
}
