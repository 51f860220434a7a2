/// Telling codes from names, where one may have been typed in the place of the other.
extension JoinCode {
    /// How much a text looks like a code.
    package enum Likeness: Hashable, Sendable {
        /// A word, a number or a name.
        case none
        /// One letter off a code, and perhaps a name such as `camp2west`.
        case close(Slip)
        /// One letter off a code, and no name: letters and figures take turns three times in it, or
        /// stand in one of two groups of four.
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
        return found == .none ? writing(of: text) : found
    }

    /// How much a text is written as a code is shown, in two groups of four. `M204` is in no name:
    /// letters and digits in one group, in capitals, or with the hyphen in any case. `ROOM-2026`,
    /// a word and a number in capitals, may be one; `koro-2026` is.
    private static func writing(of text: String) -> Likeness {
        let groups = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: " ")
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let all = groups.joined()
        guard groups.map(\.count) == [4, 4],
            all.allSatisfy({ digits ~= $0 || isLetter($0 | 0x20) && $0 | 0x20 <= UInt8(ascii: "z") }
            )
        else { return .none }
        func mixes(_ group: some Sequence<UInt8>) -> Bool {
            group.contains { digits ~= $0 } && group.contains { !(digits ~= $0) }
        }
        let isCapital = !all.contains { isLetter($0) }
        if groups.contains(where: mixes), isCapital || text.contains("-") {
            return .mistyped(.misread)
        }
        return isCapital && mixes(all) ? .close(.misread) : .none
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
