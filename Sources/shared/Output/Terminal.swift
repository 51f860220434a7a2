internal import Charts
import Glibc

/// Makes text from elsewhere harmless and measurable on a terminal.
enum Terminal {
    /// The text with control characters and marks that reorder text written as escapes.
    static func plain(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var plain = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": plain += "\\n"
            case "\r": plain += "\\r"
            case "\t": plain += "\\t"
            case _ where isUnsafe(scalar): plain += "\\u{\(String(scalar.value, radix: 16))}"
            default: plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }

    /// Bytes for a terminal, with every control character but line ends, tabs and our own colours
    /// written as an escape: the last door, behind `plain`.
    static func harmless(_ bytes: [UInt8]) -> [UInt8] {
        func isControl(_ place: Int) -> Bool {
            let byte = bytes[place]
            if byte < 0x20 { return byte != 0x0A && byte != 0x09 }
            // U+0080 to U+009F.
            return byte == 0x7F
                || byte == 0xC2 && place + 1 < bytes.count
                    && (0x80..<0xA0).contains(bytes[place + 1])
        }
        guard bytes.indices.contains(where: isControl) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var place = 0
        while place < bytes.count {
            guard isControl(place) else {
                result.append(bytes[place])
                place += 1
                continue
            }
            if let end = endOfColour(bytes, from: place) {
                result += bytes[place..<end]
                place = end
                continue
            }
            let isLong = bytes[place] == 0xC2
            let value = isLong ? bytes[place + 1] : bytes[place]
            result += "\\u{\(String(value, radix: 16))}".utf8
            place += isLong ? 2 : 1
        }
        return result
    }

    /// The end of `ESC [ 1 ; 31 m`.
    private static func endOfColour(_ bytes: [UInt8], from start: Int) -> Int? {
        guard bytes[start] == 0x1B, start + 1 < bytes.count, bytes[start + 1] == 0x5B else {
            return nil
        }
        var place = start + 2
        while place < bytes.count, place < start + 16 {
            if bytes[place] == UInt8(ascii: "m") { return place + 1 }
            guard (0x30...0x39).contains(bytes[place]) || bytes[place] == 0x3B else { return nil }
            place += 1
        }
        return nil
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, and what changes the direction of writing.
        case 0x2028...0x202E, 0x2066...0x2069, 0x200E...0x200F, 0x061C, 0xFEFF: true
        default: false
        }
    }

    /// How many columns the text takes.
    static func width(_ text: String) -> Int { TerminalWidth.columns(text) }

    /// The text padded with spaces to that many columns.
    static func pad(_ text: String, _ columns: Int, right: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, columns - width(text)))
        return right ? padding + text : text + padding
    }

    /// Whether what is written may have other characters than ASCII.
    static let isUTF8: Bool = {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap { variable($0) }.first { !$0.isEmpty } ?? ""
        let charset = locale.lowercased().split(separator: ".").dropFirst().first ?? ""
        return charset.hasPrefix("utf-8") || charset.hasPrefix("utf8")
    }()

    /// The dots for what is left out.
    static var dots: String { isUTF8 ? "\u{2026}" : "..." }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// How wide lines of prose may be: as the terminal is, else as most are.
    static let columns: Int = {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return max(40, Int(size.ws_col))
    }()

    /// How many lines the terminal shows.
    static let rows: Int = {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return max(5, Int(size.ws_row))
    }()

    /// The text in lines of at most that many columns, cut at blanks; what stands between two
    /// backticks, which people copy, is kept in one line where it fits one.
    static func wrap(_ text: String, _ columns: Int) -> [String] {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        func isOdd(_ part: Substring) -> Bool {
            !part.count(where: { $0 == "`" }).isMultiple(of: 2)
        }
        var words: [String] = []
        var next = parts.startIndex
        while next < parts.endIndex {
            // A backtick that none closes within a line's width quotes nothing.
            var last = next
            if isOdd(parts[next]) {
                var columnsLeft = columns - width(String(parts[next]))
                var place = next + 1
                while place < parts.endIndex, columnsLeft > 0 {
                    columnsLeft -= 1 + width(String(parts[place]))
                    if isOdd(parts[place]) {
                        last = place
                        break
                    }
                    place += 1
                }
            }
            words.append(parts[next...last].joined(separator: " "))
            next = last + 1
        }
        var lines: [String] = []
        for word in words {
            if let last = lines.last, width(last) + 1 + width(word) <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines.isEmpty ? [""] : lines
    }

    /// The text cut to that many columns, with dots where something is left out.
    static func cut(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        var cut = ""
        var used = 0
        for character in text {
            used += width(String(character))
            if used > columns - 3 { break }
            cut.append(character)
        }
        return cut + "..."
    }

    /// The text cut to that many columns, with dots inside: long names often differ at their ends
    /// alone.
    static func cutInside(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        let (start, end) = (columns - 3 - (columns - 3) / 2, (columns - 3) / 2)
        var tail = ""
        for character in text.reversed() {
            guard width(String(character) + tail) <= end else { break }
            tail = String(character) + tail
        }
        return prefix(of: text, start) + "..." + tail
    }

    /// The text in lines of at most that many columns, words too that are wider.
    static func wrapWhole(_ text: String, _ columns: Int) -> [String] {
        wrap(text, columns).flatMap { line -> [String] in
            var parts: [String] = []
            var rest = line[...]
            while width(String(rest)) > columns {
                let part = prefix(of: String(rest), columns)
                parts.append(part.isEmpty ? String(rest.prefix(1)) : part)
                rest = rest.dropFirst(max(1, part.count))
            }
            return parts + [String(rest)]
        }
    }

    /// As much of the text as fits.
    private static func prefix(of text: String, _ columns: Int) -> String {
        var kept = ""
        for character in text {
            guard width(kept + String(character)) <= columns else { break }
            kept.append(character)
        }
        return kept
    }
}

/// Text as one word of a shell's command line, for commands that people copy.
enum Shell {
    /// Whether a shell takes the text for itself, in one word.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "-_./:@%+,=".unicodeScalars.contains($0)
            }
    }

    static func quoted(_ text: String) -> String {
        if isPlain(text), !text.hasPrefix("-"), !text.hasPrefix("=") { return text }
        return "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
