/// Telling codes from names, where one may have been typed in the place of the other.
extension JoinCode {
    /// How much a text looks like a code.
    package enum Likeness: Hashable, Sendable {
        /// A word, a number or a name.
        case none
        /// One letter off a code, and perhaps a name such as `camp2west`.
        case close(Slip)
        /// One letter off a code, and no name: letters and figures take turns three times in it.
        case mistyped(Slip)
        /// A code (`JoinCode.hasShape`).
        case code
    }

    /// How a text misses being a code.
    package enum Slip: Hashable, Sendable {
        case oneMissing
        case oneTooMany
        /// It has a `U`.
        case otherLetter
        /// It is written as codes are shown, `SPGR-M204`, and is none.
        case misread
    }

    /// How much a text looks like a code: eight letters and digits, or one off, in which a digit
    /// from 2 to 9 stands before a letter; or written as one is shown.
    package static func likeness(of text: String) -> Likeness {
        if hasShape(text) { return .code }
        let found = slip(of: text)
        return found == .none && isWrittenAsCode(text) ? .close(.misread) : found
    }

    /// Whether a text has two groups of four capital letters and digits, and both of these.
    private static func isWrittenAsCode(_ text: String) -> Bool {
        let groups = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ")
        }
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return groups.map(\.count) == [4, 4]
            && groups.joined().allSatisfy { capitals ~= $0 || digits ~= $0 }
            && groups.joined().contains { capitals ~= $0 }
            && groups.joined().contains { digits ~= $0 }
    }

    private static func slip(of text: String) -> Likeness {
        var letters: [UInt8] = []
        for character in text where character != "-" && character != " " {
            guard let ascii = character.asciiValue,
                CrockfordDigits.digit(for: ascii) != nil || ascii | 0x20 == UInt8(ascii: "u")
            else { return .none }
            letters.append(ascii | 0x20)
        }
        let slip: Slip
        switch letters.count {
        case length - 1: slip = .oneMissing
        case length where letters.contains(UInt8(ascii: "u")): slip = .otherLetter
        case length + 1: slip = .oneTooMany
        default: return .none
        }
        // 0 and 1 are typed as letters too.
        let asDigits = Set("01oil".utf8)
        guard let first = letters.firstIndex(where: { figures.contains($0) }),
            letters[first...].contains(where: { isLetter($0) && !asDigits.contains($0) })
        else { return .none }
        let turns = zip(letters, letters.dropFirst()).count { isLetter($0) != isLetter($1) }
        return turns >= 3 ? .mistyped(slip) : .close(slip)
    }

    private static func isLetter(_ letter: UInt8) -> Bool { letter >= UInt8(ascii: "a") }
}
