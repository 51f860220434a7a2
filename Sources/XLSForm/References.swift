/// A text cut at its references `${name}` and `${last-saved#name}`.
struct References {
    enum Piece: Hashable {
        case text(String)
        case reference(name: String, isLastSaved: Bool)
    }

    let pieces: [Piece]

    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.range(ofReference: ()) {
            guard let close = rest[start.upperBound...].firstIndex(of: "}") else { break }
            if start.lowerBound > rest.startIndex {
                pieces.append(.text(String(rest[..<start.lowerBound])))
            }
            var name = rest[start.upperBound..<close].trimmed
            let mark = "last-saved#"
            let isLastSaved = name.hasPrefix(mark)
            if isLastSaved { name.removeFirst(mark.count) }
            pieces.append(.reference(name: name, isLastSaved: isLastSaved))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// The names referred to, in order.
    var names: [String] {
        pieces.compactMap { if case .reference(let name, _) = $0 { name } else { nil } }
    }

    var isEmpty: Bool { names.isEmpty }

    /// Whether a default is computed rather than taken as it is: it has a reference, a call of a
    /// function, a predicate or an operator, a minus of a date or a position aside.
    static func isDynamic(_ text: String, type: String) -> Bool {
        if !References(text).isEmpty { return true }
        let isHyphenated = ["date", "dateTime", "geopoint", "geotrace", "geoshape"].contains(type)
        var quote: Character?
        var last: Character = " "
        let characters = Array(text)
        for (index, character) in characters.enumerated() {
            defer { last = character }
            if let open = quote {
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "'", "\"":
                // An apostrophe that nothing closes is text.
                if characters[(index + 1)...].contains(character) { quote = character }
            case "(", "[": if isName(last) { return true }
            case "*", "+", "|": return true
            case "-":
                if isHyphenated { return false }
                // A hyphen within a name or before a number is no operator.
                let next = index + 1 < characters.count ? characters[index + 1] : " "
                if next.isNumber || isName(last) && isName(next) { continue }
                return !isISO(text)
            default: break
            }
        }
        return text.contains(" div ") || text.contains(" mod ")
    }

    private static func isName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_-.".contains(character)
    }

    /// Whether the text begins as a date does, `2026-11-21`.
    private static func isISO(_ text: String) -> Bool {
        let shape = text.prefix(10).map { $0.isNumber ? "0" : String($0) }.joined()
        return shape == "0000-00-00"
    }
}

extension Substring {
    /// Where `${` stands next.
    fileprivate func range(ofReference: Void) -> Range<Index>? {
        var index = startIndex
        while let dollar = self[index...].firstIndex(of: "$") {
            let next = self.index(after: dollar)
            if next < endIndex, self[next] == "{" { return dollar..<self.index(after: next) }
            index = next
        }
        return nil
    }
}

/// The rule for names that become elements of XML.
enum ElementName {
    /// Whether a text can name an element, its prefix included.
    static func isValid(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                part.unicodeScalars.first.map { isStart($0) } ?? false
                    && part.unicodeScalars.allSatisfy { isStart($0) || isLater($0) }
            }
    }

    /// The nearest name to a text that is none.
    static func mended(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            name.unicodeScalars.append(isStart(scalar) || isLater(scalar) ? scalar : "_")
        }
        return name.unicodeScalars.first.map { isStart($0) } ?? false ? name : "q_" + name
    }

    private static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x41...0x5A, 0x5F, 0x61...0x7A: true
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF: true
        case 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF: true
        case 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF: true
        default: false
        }
    }

    private static func isLater(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: false
        }
    }
}
