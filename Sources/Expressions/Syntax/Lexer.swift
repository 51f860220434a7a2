/// Splits an expression into tokens (XPath 1.0 §3.7), with `${name}` for fields.
///
/// Typographic quotes, which word processors put into forms, count as plain ones.
struct Lexer {
    private let source: [UInt8]
    private var offset = 0
    private var tokens: [Token] = []
    /// The parentheses that are open, the innermost last: of `jr:choice-name` so many commas of its
    /// own have come, of others nil.
    private var commas: [Int?] = []

    private init(_ source: [UInt8]) {
        self.source = source
    }

    /// The tokens of `source`, with `.end` as the last one.
    static func tokens(of source: [UInt8]) throws(SyntaxError) -> [Token] {
        var lexer = Lexer(source)
        while let token = try lexer.next() { lexer.append(token) }
        lexer.tokens.append(Token(kind: .end, start: source.count, end: source.count))
        return lexer.tokens
    }

    private mutating func append(_ token: Token) {
        switch token.kind {
        case .leftParenthesis:
            let isChoiceName =
                if case .name(let name)? = tokens.last?.kind {
                    name.isEqual(to: "jr:choice-name")
                } else {
                    false
                }
            commas.append(isChoiceName ? 0 : nil)
        case .rightParenthesis: _ = commas.popLast()
        case .comma:
            if case let count?? = commas.last { commas[commas.count - 1] = count + 1 }
        case .string(let text) where commas.last == 1 && tokens.last?.kind == .comma:
            if let path = path(text, quotedAt: token.start) {
                tokens += path
                return
            }
        default: break
        }
        tokens.append(token)
    }

    /// The second argument of `jr:choice-name` is a path in quotes: its tokens, to take its place.
    private func path(_ text: [UInt8], quotedAt start: Int) -> [Token]? {
        guard let tokens = try? Lexer.tokens(of: text) else { return nil }
        let content = start + (source[start] < 0x80 ? 1 : 3)
        return tokens.dropLast().map {
            Token(kind: $0.kind, start: $0.start + content, end: $0.end + content)
        }
    }

    private var afterOperand: Bool { tokens.last?.endsOperand ?? false }

    private func byte(_ ahead: Int = 0) -> UInt8 {
        offset + ahead < source.count ? source[offset + ahead] : 0
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { source[offset...].starts(with: $0) }
    }

    private mutating func next() throws(SyntaxError) -> Token? {
        while offset < source.count, let length = spaceLength { offset += length }
        guard offset < source.count else { return nil }
        let start = offset
        let kind = try kind()
        return Token(kind: kind, start: start, end: offset)
    }

    /// The length of the white space here; spreadsheets also hold no-break spaces.
    private var spaceLength: Int? {
        switch byte() {
        case 0x20, 0x09...0x0D: 1
        default: starts(with: "\u{A0}") ? 2 : nil
        }
    }

    private mutating func kind() throws(SyntaxError) -> Token.Kind {
        if let quote { return try string(quote) }
        if afterOperand, let operation = namedOperator() { return operation }
        if let symbol = symbol() { return symbol }
        let first = byte()
        if first.isDigit || first == UInt8(ascii: ".") { return number() }
        if first == UInt8(ascii: "$"), byte(1) == UInt8(ascii: "{") { return try field() }
        if first == UInt8(ascii: "$") {
            offset += 1
            return .dollar
        }
        if first.startsName { return .name(name()) }
        let character = UTF8Text.scalar(in: source, at: offset)
        throw SyntaxError(
            at: offset, found: Array(source[offset..<character.next]),
            expected: [UInt8](afterOperand ? "an operator" : "a value"), hint: strayHint)
    }

    private var strayHint: [UInt8]? {
        switch byte() {
        case UInt8(ascii: "!"): [UInt8]("Unequal is written !=, and negation not(...).")
        case UInt8(ascii: "&"): [UInt8]("Conditions are joined with and.")
        case UInt8(ascii: "%"): [UInt8]("The remainder of a division is written mod.")
        case UInt8(ascii: "#"), UInt8(ascii: "{"): [UInt8]("A field is written ${name}.")
        default: nil
        }
    }

    private mutating func namedOperator() -> Token.Kind? {
        let found: (Token.Kind, Int)? =
            if starts(with: "and") {
                (.logical(.and), 3)
            } else if starts(with: "or") {
                (.logical(.or), 2)
            } else if starts(with: "div") {
                (.binary(.divide), 3)
            } else if starts(with: "mod") {
                (.binary(.remainder), 3)
            } else {
                nil
            }
        offset += found?.1 ?? 0
        return found?.0
    }

    private mutating func symbol() -> Token.Kind? {
        let following = byte(1)
        let isFollowedByEqual = following == UInt8(ascii: "=")
        let found: (Token.Kind, Int)? =
            switch byte() {
            case UInt8(ascii: "="): (.binary(.equal), 1)
            case UInt8(ascii: "!") where isFollowedByEqual: (.binary(.unequal), 2)
            case UInt8(ascii: "<"):
                isFollowedByEqual ? (.binary(.lessOrEqual), 2) : (.binary(.less), 1)
            case UInt8(ascii: ">"):
                isFollowedByEqual ? (.binary(.greaterOrEqual), 2) : (.binary(.greater), 1)
            case UInt8(ascii: "+"): (.binary(.add), 1)
            case UInt8(ascii: "-"): (afterOperand ? .binary(.subtract) : .minus, 1)
            case UInt8(ascii: "*"): (afterOperand ? .binary(.multiply) : .star, 1)
            case UInt8(ascii: "|"): (.bar, 1)
            case UInt8(ascii: "/"): following == byte() ? (.doubleSlash, 2) : (.slash, 1)
            case UInt8(ascii: "["): (.leftBracket, 1)
            case UInt8(ascii: "]"): (.rightBracket, 1)
            case UInt8(ascii: "("): (.leftParenthesis, 1)
            case UInt8(ascii: ")"): (.rightParenthesis, 1)
            case UInt8(ascii: ","): (.comma, 1)
            case UInt8(ascii: "@"): (.at, 1)
            case UInt8(ascii: ":") where following == byte(): (.doubleColon, 2)
            case UInt8(ascii: ".") where following == byte(): (.doubleDot, 2)
            case UInt8(ascii: ".") where !following.isDigit: (.dot, 1)
            default: nil
            }
        offset += found?.1 ?? 0
        return found?.0
    }

    private mutating func number() -> Token.Kind {
        let start = offset
        var hasPoint = false
        while byte().isDigit || byte() == UInt8(ascii: ".") && !hasPoint {
            hasPoint = hasPoint || byte() == UInt8(ascii: ".")
            offset += 1
        }
        return .number(Value.number(parsing: Array(source[start..<offset])))
    }

    private mutating func name() -> [UInt8] {
        let start = offset
        while byte().continuesName, quote == nil, spaceLength == nil { offset += 1 }
        if byte() == UInt8(ascii: ":"), byte(1).startsName {
            offset += 1
            while byte().continuesName, quote == nil, spaceLength == nil { offset += 1 }
        }
        return Array(source[start..<offset])
    }

    private mutating func field() throws(SyntaxError) -> Token.Kind {
        let start = offset
        guard let end = source[start...].firstIndex(of: UInt8(ascii: "}")) else {
            offset = source.count
            throw SyntaxError(
                at: offset, found: [], expected: [UInt8]("a closing brace"),
                hint: [UInt8]("A field is written ${name}."))
        }
        let name = Array(Array(source[(start + 2)..<end]).trimmed)
        guard !name.isEmpty else {
            throw SyntaxError(
                at: end, found: [source[end]], expected: [UInt8]("the name of a field"))
        }
        offset = end + 1
        return .field(name)
    }

    /// The quote that begins here: its kind and its length in bytes.
    private var quote: (isDouble: Bool, length: Int)? {
        switch byte() {
        case UInt8(ascii: "'"): (false, 1)
        case UInt8(ascii: "\""): (true, 1)
        case 0xE2 where starts(with: "‘") || starts(with: "’"): (false, 3)
        case 0xE2 where starts(with: "“") || starts(with: "”"): (true, 3)
        default: nil
        }
    }

    private mutating func string(_ opening: (isDouble: Bool, length: Int)) throws(SyntaxError)
        -> Token.Kind
    {
        let start = offset
        offset += opening.length
        let content = offset
        while offset < source.count {
            if let quote, quote.isDouble == opening.isDouble {
                let text = Array(source[content..<offset])
                offset += quote.length
                return .string(text)
            }
            offset += 1
        }
        throw SyntaxError(
            at: source.count, found: [], expected: [UInt8]("a closing quote"),
            hint: [UInt8]("The text begins at offset ") + .decimal(start) + [UInt8]("."))
    }
}

extension UInt8 {
    /// Letters, `_`, and every character beyond ASCII.
    var startsName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), 0x80...:
            true
        default:
            false
        }
    }

    var continuesName: Bool {
        startsName || isDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
    }
}
