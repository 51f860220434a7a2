/// The columns that text takes on a terminal, and text made to take so many.
package enum TerminalWidth {
    /// How many columns the text takes.
    package static func columns(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns($1) }
    }

    static func fitting(ascii: Bool) -> Fitting {
        Fitting(measure: { Double(columns($0)) }, dots: ascii ? "..." : "…")
    }

    /// The text followed, or for numbers preceded, by blanks up to that many columns.
    ///
    /// A mark of direction after text from right to left keeps what follows it on the line where
    /// it is, on terminals that turn such text around.
    static func pad(_ text: String, _ columns: Int, isNumber: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - Self.columns(text)))
        if isNumber { return blanks + text }
        return text + (CleanText.isRightToLeft(text) ? "\u{200E}" : "") + blanks
    }

    private static func columns(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        // A flag is two letters, a sequence of emoji one picture.
        if isRegional(first) { return 2 }
        if scalars.contains(where: { $0.value == 0xFE0F || $0.value == 0x200D }) {
            if isWide(first) || first.properties.isEmoji { return 2 }
        }
        return scalars.reduce(0) { sum, scalar in
            sum + (isMark(scalar) ? 0 : isWide(scalar) ? 2 : 1)
        }
    }

    private static func isRegional(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    /// True for what stands on, under or between other characters and takes no column.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Vowels and final consonants of Hangul written apart join the consonant before them.
        case 0x1160...0x11FF: return true
        case ..<0x300: return scalar.value == 0xAD
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return true
        default: return false
        }
    }

    /// True for what takes two columns: East Asian wide forms and emoji.
    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x1100: false
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
