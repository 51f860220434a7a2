/// The tree of a regular expression.
indirect enum PatternSyntax {
    case character(CharacterClass)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    case repeated(PatternSyntax, least: Int, most: Int?)
    case assertion(Pattern.Assertion)
}

/// Reads the part of Java's syntax of regular expressions that a linear engine can match.
struct PatternParser {
    private let source: [UInt8]
    private var offset = 0
    private var depth = 0
    private var ignoresCase = false
    private var dotMatchesAll = false

    init(_ source: [UInt8]) {
        self.source = source
    }

    mutating func parse() throws(Pattern.Failure) -> PatternSyntax {
        let syntax = try choice()
        if offset < source.count { throw failure("a closing parenthesis without an opening one") }
        return syntax
    }

    private func failure(_ what: StaticString) -> Pattern.Failure {
        Pattern.Failure(what: [UInt8](what), offset: min(offset, source.count))
    }

    private var byte: UInt8? { offset < source.count ? source[offset] : nil }

    private mutating func take(_ text: StaticString) -> Bool {
        guard text.withUTF8Buffer({ source[offset...].starts(with: $0) }) else { return false }
        offset += text.utf8CodeUnitCount
        return true
    }

    private mutating func scalar() -> UInt32 {
        let (value, next) = UTF8Text.scalar(in: source, at: offset)
        offset = next
        return value
    }

    private mutating func choice() throws(Pattern.Failure) -> PatternSyntax {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 50 else { throw failure("a regular expression nested too deeply") }
        // Flags that are set inside a group end with it.
        let flags = (ignoresCase, dotMatchesAll)
        defer { (ignoresCase, dotMatchesAll) = flags }
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(Pattern.Failure) -> PatternSyntax {
        var parts: [PatternSyntax] = []
        while let byte, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            guard let atom = try atom() else { continue }
            parts.append(try quantified(atom))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// - Returns: Nil for `(?i)`, which only sets a flag.
    private mutating func atom() throws(Pattern.Failure) -> PatternSyntax? {
        if take("(") { return try group() }
        if take("[") { return .character(try characterClass()) }
        if take("\\") { return try escape() }
        if take("^") { return .assertion(.start) }
        if take("$") { return .assertion(.end) }
        if take(".") { return .character(dotMatchesAll ? .any : .notLineEnd) }
        switch byte {
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"):
            throw failure("a repetition of nothing in a regular expression")
        default:
            let scalar = scalar()
            return .character(literal(scalar))
        }
    }

    private func literal(_ scalar: UInt32) -> CharacterClass {
        var found = CharacterClass(scalar...scalar)
        found.ignoresCase = ignoresCase
        return found
    }

    private mutating func group() throws(Pattern.Failure) -> PatternSyntax? {
        let flags = (ignoresCase, dotMatchesAll)
        if take("?") {
            if take("=") || take("!") || take("<=") || take("<!") {
                throw failure("look-around in a regular expression")
            }
            if take("<") {
                while let byte, byte.continuesName { offset += 1 }
                guard take(">") else { throw failure("a name of a group without its end") }
            } else {
                try setFlags()
                if take(")") { return nil }
                guard take(":") else { throw failure("a flag in a regular expression") }
            }
        }
        let inner = try choice()
        (ignoresCase, dotMatchesAll) = flags
        guard take(")") else { throw failure("a group without its closing parenthesis") }
        return inner
    }

    private mutating func setFlags() throws(Pattern.Failure) {
        var value = true
        while let byte {
            switch byte {
            case UInt8(ascii: "i"): ignoresCase = value
            case UInt8(ascii: "s"): dotMatchesAll = value
            case UInt8(ascii: "-"): value = false
            default: return
            }
            offset += 1
        }
    }

    // MARK: Repetition

    private mutating func quantified(_ atom: PatternSyntax) throws(Pattern.Failure) -> PatternSyntax
    {
        guard let (least, most) = try quantifier() else { return atom }
        // A lazy repetition reaches the same texts; a possessive one does not.
        if !take("?"), take("+") { throw failure("a possessive repetition") }
        return .repeated(atom, least: least, most: most)
    }

    private mutating func quantifier() throws(Pattern.Failure) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard take("{") else { return nil }
        guard let least = number() else { throw failure("a repetition without a number") }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}"), most ?? least >= least else { throw failure("a repetition that is wrong") }
        guard max(least, most ?? 0) <= Pattern.largestCount else {
            throw failure("a repetition of more than 1,000")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let start = offset
        while let byte, byte.isDigit { offset += 1 }
        return source[start..<offset].integer
    }

    // MARK: Escapes

    private mutating func escape() throws(Pattern.Failure) -> PatternSyntax {
        guard let byte else { throw failure("a backslash at the end of a regular expression") }
        switch byte {
        case UInt8(ascii: "1")...UInt8(ascii: "9"), UInt8(ascii: "k"):
            throw failure("a backreference in a regular expression")
        case UInt8(ascii: "b"):
            offset += 1
            return .assertion(.boundary)
        case UInt8(ascii: "B"):
            offset += 1
            return .assertion(.noBoundary)
        case UInt8(ascii: "A"):
            offset += 1
            return .assertion(.start)
        case UInt8(ascii: "z"):
            offset += 1
            return .assertion(.veryEnd)
        case UInt8(ascii: "Z"):
            offset += 1
            return .assertion(.end)
        default:
            if let set = try escapedClass() { return .character(set) }
            return .character(literal(try escapedScalar()))
        }
    }

    /// `\d`, `\p{L}` and their like; nil where the escape is one character.
    private mutating func escapedClass() throws(Pattern.Failure) -> CharacterClass? {
        guard let byte else { throw failure("a backslash at the end of a regular expression") }
        var set: CharacterClass
        switch byte | 0x20 {
        case UInt8(ascii: "d"): set = .digit
        case UInt8(ascii: "w"): set = .word
        case UInt8(ascii: "s"): set = .space
        case UInt8(ascii: "p"):
            offset += 1
            let start = offset
            var name: ArraySlice<UInt8>
            if take("{") {
                guard let end = source[start...].firstIndex(of: UInt8(ascii: "}")) else {
                    throw failure("a class without its closing brace")
                }
                name = source[(start + 1)..<end]
                offset = end
            } else {
                name = source[start...].prefix(1)
            }
            let isCased = name.count == 2 && name.first == UInt8(ascii: "L")
            if ignoresCase, isCased, byte == UInt8(ascii: "p"),
                [UInt8]("ult").contains(name[name.startIndex + 1])
            {
                set = .cased
                break
            }
            guard let named = CharacterClass.named(Array(name)) else {
                throw failure("a class of characters that is not known here")
            }
            set = named
        default:
            return nil
        }
        offset += 1
        set.isNegated = byte & 0x20 == 0
        return set
    }

    private mutating func escapedScalar() throws(Pattern.Failure) -> UInt32 {
        let scalar = scalar()
        switch scalar {
        case 0x74: return 0x09  // \t
        case 0x6E: return 0x0A  // \n
        case 0x72: return 0x0D  // \r
        case 0x66: return 0x0C  // \f
        case 0x78: return try hexadecimal(2)  // \x
        case 0x75: return try hexadecimal(4)  // \u
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
            throw failure("an escape that is not known here")
        default: return scalar
        }
    }

    private mutating func hexadecimal(_ digits: Int) throws(Pattern.Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let byte else { throw failure("an escape without its digits") }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt32((byte | 0x20) - UInt8(ascii: "a") + 10)
            default:
                throw failure("an escape without its digits")
            }
            offset += 1
        }
        return value
    }

    // MARK: Classes

    /// The class between `[` and `]`. Unions and intersections of classes are Java's alone.
    private mutating func characterClass() throws(Pattern.Failure) -> CharacterClass {
        var set = CharacterClass()
        set.ignoresCase = ignoresCase
        set.isNegated = take("^")
        var isFirst = true
        while true {
            guard let byte else { throw failure("a class without its closing bracket") }
            if take("]") {
                if isFirst { throw failure("an empty class of characters") }
                return set
            }
            isFirst = false
            if byte == UInt8(ascii: "[") { throw failure("a class inside a class") }
            if take("&&") { throw failure("an intersection of classes") }
            if take("\\") {
                if let inner = try escapedClass() {
                    set.insert(inner)
                    continue
                }
                try insertRange(from: try escapedScalar(), into: &set)
            } else {
                try insertRange(from: scalar(), into: &set)
            }
        }
    }

    private mutating func insertRange(
        from lower: UInt32, into set: inout CharacterClass
    ) throws(Pattern.Failure) {
        let start = offset
        guard take("-"), let byte, byte != UInt8(ascii: "]") else {
            offset = start
            set.insert(lower...lower)
            return
        }
        if byte == UInt8(ascii: "[") { throw failure("a class inside a class") }
        let upper = take("\\") ? try escapedScalar() : scalar()
        guard lower <= upper else { throw failure("a range of characters from high to low") }
        set.insert(lower...upper)
    }
}
