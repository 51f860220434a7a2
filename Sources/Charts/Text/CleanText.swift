/// Text from elsewhere made harmless: one line that neither moves a cursor nor turns text around.
enum CleanText {
    /// The text without control characters and marks of direction, blanks at its ends cut off.
    ///
    /// It ends in dots where it has more than `most` characters. Of marks on one letter four stay:
    /// towers of them would reach into other lines.
    static func line(_ text: String, most: Int) -> String {
        // Most text is plain already, and there may be a label for each of many rows.
        let bytes = text.utf8
        if bytes.count <= most, bytes.first != 0x20, bytes.last != 0x20,
            bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        {
            return text
        }
        var clean = String.UnicodeScalarView()
        // A character may be of any number of scalars: the bound is on them, too.
        var left = most * 4
        var isCut = false
        var marks = 0
        for scalar in text.unicodeScalars {
            guard left > 0 else {
                isCut = true
                break
            }
            let isMark = scalar.properties.generalCategory == .nonspacingMark
            marks = isMark ? marks + 1 : 0
            if marks > 4 { continue }
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: clean.append(" ")
            case 0x00..<0x20, 0x7F..<0xA0, 0xFFF9...0xFFFB, 0xFFFE, 0xFFFF: clean.append("\u{FFFD}")
            case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: continue
            case _ where scalar.value & 0xFFFE == 0xFFFE: clean.append("\u{FFFD}")
            default: clean.append(scalar)
            }
            left -= 1
        }
        var line = Substring(String(clean))
        while line.first == " " { line.removeFirst() }
        if line.count > most {
            line = line.prefix(most)
            isCut = true
        }
        while line.last == " " { line.removeLast() }
        return isCut ? line + "..." : String(line)
    }

    /// True where the text is written, at least in part, from right to left.
    static func isRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF,
                0x1E800...0x1EFFF:
                true
            default: false
            }
        }
    }
}
