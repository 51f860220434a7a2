/// The way from the root of a JSON text to one of its values.
package struct JSONPath: Hashable, Sendable {
    /// Into an object, or into an array, whose first element is 0.
    package enum Step: Hashable, Sendable {
        case member(String)
        case element(Int)
    }

    package var steps: [Step]

    package init(_ steps: [Step] = []) { self.steps = steps }

    /// The line and column, from 1 and in bytes, at which the value begins; nil where the text,
    /// which has been read as JSON before, has no such value.
    ///
    /// - Parameter character: Inside a text: the byte of its UTF-8 that is meant.
    package func place(
        in text: [UInt8], character: Int? = nil
    ) -> (line: Int, column: Int)? {
        var scanner = JSONScanner(bytes: text)
        guard scanner.find(steps[...]) else { return nil }
        if let character { scanner.skip(character: character) }
        let before = text[..<min(scanner.position, text.count)]
        let line = before.count { $0 == 0x0A } + 1
        return (line, before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1)
    }
}

/// Walks over a JSON text without building values. On text that is not JSON it stops anywhere.
private struct JSONScanner {
    let bytes: [UInt8]
    var position = 0

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Goes to the value at the end of the steps.
    mutating func find(_ steps: ArraySlice<JSONPath.Step>) -> Bool {
        skipSpace()
        guard let step = steps.first else { return position < bytes.count }
        let close: UInt8
        switch step {
        case .member: close = UInt8(ascii: "}")
        case .element: close = UInt8(ascii: "]")
        }
        guard next == close - 2 else { return false }
        position += 1
        var index = 0
        while true {
            skipSpace()
            guard let byte = next, byte != close else { return false }
            var isMeant = step == .element(index)
            if case .member(let name) = step {
                guard let key = string() else { return false }
                isMeant = key.elementsEqual(name.utf8)
                skipSpace()
                position += 1
            }
            if isMeant { return find(steps.dropFirst()) }
            skipValue()
            skipSpace()
            guard next == UInt8(ascii: ",") else { return false }
            position += 1
            index += 1
        }
    }

    /// From the quote before a text to one of its bytes, escapes counted as what they stand for.
    mutating func skip(character: Int) {
        guard next == UInt8(ascii: "\"") else { return }
        position += 1
        var left = character
        while left > 0, let byte = next, byte != UInt8(ascii: "\"") { left -= unit(byte).count }
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { position += 1 }
    }

    /// The bytes that one sign of a text, or an escape, stands for.
    private mutating func unit(_ byte: UInt8) -> [UInt8] {
        position += 1
        guard byte == UInt8(ascii: "\\"), let escaped = next else { return [byte] }
        position += 1
        switch escaped {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"):
            let first = hexadecimal()
            guard (0xD800..<0xDC00).contains(first), next == UInt8(ascii: "\\") else {
                return Unicode.Scalar(first).map { Array(String(Character($0)).utf8) } ?? [0x3F]
            }
            position += 2
            let scalar = 0x10000 + (first - 0xD800) << 10 + (hexadecimal() & 0x3FF)
            return Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? [0x3F]
        default: return [escaped]
        }
    }

    private mutating func hexadecimal() -> UInt32 {
        let digits = bytes[min(position, bytes.count)..<min(position + 4, bytes.count)]
        position += digits.count
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    }

    /// The text at this place; nil where there is none.
    private mutating func string() -> [UInt8]? {
        guard next == UInt8(ascii: "\"") else { return nil }
        position += 1
        var found: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") { found += unit(byte) }
        position += 1
        return found
    }

    private mutating func skipValue() {
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                _ = string()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return
                }
            case UInt8(ascii: ",") where depth == 0: return
            default: break
            }
            position += 1
        }
    }
}
