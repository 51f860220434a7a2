/// A set of characters in a regular expression: `[a-z_]`, `\d`, `\p{L}`, `.` or one letter.
struct CharacterClass: Sendable {
    private(set) var ranges: [ClosedRange<UInt32>] = []
    private(set) var categories: [(category: Category, isNegated: Bool)] = []
    var isNegated = false
    /// Letters of ASCII match in both cases, as Java's flag `i` has it.
    var ignoresCase = false

    /// The ranges and categories that a character is compared with.
    var size: Int { ranges.count + categories.count }

    init() {}

    init(_ ranges: ClosedRange<UInt32>..., isNegated: Bool = false) {
        self.ranges = ranges
        self.isNegated = isNegated
    }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
    }

    mutating func insert(_ category: Category, isNegated: Bool = false) {
        categories.append((category, isNegated))
    }

    /// Adds what `other` matches; a negated class goes in as the ranges between its own.
    mutating func insert(_ other: CharacterClass) {
        guard other.isNegated else {
            ranges += other.ranges
            categories += other.categories
            return
        }
        for (category, isNegated) in other.categories { insert(category, isNegated: !isNegated) }
        var next: UInt32 = 0
        for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { insert(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if !other.ranges.isEmpty, next <= 0x10FFFF { insert(next...0x10FFFF) }
    }

    func contains(_ scalar: UInt32) -> Bool {
        if includes(scalar) { return !isNegated }
        if ignoresCase, CharacterClass.isLetter(scalar | 0x20), includes(scalar ^ 0x20) {
            return !isNegated
        }
        return isNegated
    }

    private static func isLetter(_ scalar: UInt32) -> Bool {
        (0x61...0x7A).contains(scalar)
    }

    private func includes(_ scalar: UInt32) -> Bool {
        for range in ranges where range.contains(scalar) { return true }
        for (category, isNegated) in categories where category.contains(scalar) != isNegated {
            return true
        }
        return false
    }

    static let digit = CharacterClass(0x30...0x39)
    static let word = CharacterClass(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
    static let space = CharacterClass(0x09...0x0D, 0x20...0x20)
    /// Letters of upper, lower and title case: `\p{Lu}` without regard to case.
    static let cased: CharacterClass = {
        var cased = CharacterClass()
        for minor in [UInt8]("ult") {
            cased.insert(Category(major: UInt8(ascii: "L"), minor: minor))
        }
        return cased
    }()
    static let any = CharacterClass(0...0x10FFFF)
    static let notLineEnd = CharacterClass(
        0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029, isNegated: true)

    /// A property of Unicode: a general category, `Lu`, or all that begin with a letter, `L`.
    struct Category: Sendable {
        let major: UInt8
        let minor: UInt8?

        func contains(_ scalar: UInt32) -> Bool {
            let code = Unicode.Scalar(scalar).map { Category.code($0) } ?? "Cs"
            return code.withUTF8Buffer { $0[0] == major && (minor == nil || $0[1] == minor) }
        }

        private static func code(_ scalar: Unicode.Scalar) -> StaticString {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter: "Lu"
            case .lowercaseLetter: "Ll"
            case .titlecaseLetter: "Lt"
            case .modifierLetter: "Lm"
            case .otherLetter: "Lo"
            case .nonspacingMark: "Mn"
            case .spacingMark: "Mc"
            case .enclosingMark: "Me"
            case .decimalNumber: "Nd"
            case .letterNumber: "Nl"
            case .otherNumber: "No"
            case .connectorPunctuation: "Pc"
            case .dashPunctuation: "Pd"
            case .openPunctuation: "Ps"
            case .closePunctuation: "Pe"
            case .initialPunctuation: "Pi"
            case .finalPunctuation: "Pf"
            case .otherPunctuation: "Po"
            case .mathSymbol: "Sm"
            case .currencySymbol: "Sc"
            case .modifierSymbol: "Sk"
            case .otherSymbol: "So"
            case .spaceSeparator: "Zs"
            case .lineSeparator: "Zl"
            case .paragraphSeparator: "Zp"
            case .control: "Cc"
            case .format: "Cf"
            case .surrogate: "Cs"
            case .privateUse: "Co"
            default: "Cn"
            }
        }
    }

    /// The class that `\p{name}` stands for; nil for one that is not known here.
    static func named(_ name: [UInt8]) -> CharacterClass? {
        if let posix = posix(name) { return posix }
        let code = name.starts(with: [UInt8]("Is")) ? Array(name.dropFirst(2)) : name
        guard code.count == 1 || code.count == 2, let first = code.first,
            [UInt8]("LMNPSZC").contains(first)
        else { return nil }
        var found = CharacterClass()
        found.insert(Category(major: first, minor: code.count == 2 ? code[1] : nil))
        return found
    }

    private static func posix(_ name: [UInt8]) -> CharacterClass? {
        let punctuation = CharacterClass(0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E)
        let classes: [(StaticString, CharacterClass)] = [
            ("Alpha", CharacterClass(0x41...0x5A, 0x61...0x7A)), ("Digit", digit),
            ("Alnum", CharacterClass(0x30...0x39, 0x41...0x5A, 0x61...0x7A)),
            ("Upper", CharacterClass(0x41...0x5A)), ("Lower", CharacterClass(0x61...0x7A)),
            ("Punct", punctuation), ("Space", space), ("ASCII", CharacterClass(0...0x7F)),
        ]
        return classes.first { name.isEqual(to: $0.0) }?.1
    }
}
