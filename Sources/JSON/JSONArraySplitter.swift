/// Splits the text of a JSON array, as it arrives, into the texts of its elements.
///
/// It finds only where elements end; whether each is JSON is found out when it is read.
package struct JSONArraySplitter: Sendable {
    /// A larger element is refused.
    package static let longestElement = 16 << 20

    private enum Part { case before, inside, after }
    /// True behind a comma, where another element has to follow.
    private var afterComma = false

    private var part = Part.before
    private var depth = 0
    private var inString = false
    private var escaped = false
    private var element: [UInt8] = []
    private var line = 1
    private var column = 1

    package init() {}

    /// Whether the closing bracket has come.
    package var isComplete: Bool { part == .after }

    /// Adds bytes and hands over each element that they complete, in order.
    ///
    /// - Throws: `JSONError.malformed` where the text is not an array.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer, _ each: ([UInt8]) -> Void
    ) throws(JSONError) {
        for byte in bytes {
            try take(byte, each)
            if byte == 0x0A {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
    }

    private mutating func take(_ byte: UInt8, _ each: ([UInt8]) -> Void) throws(JSONError) {
        guard element.count < Self.longestElement else {
            throw .malformed(line: line, column: column, .tooLong(limit: Self.longestElement))
        }
        if inString {
            element.append(byte)
            if escaped {
                escaped = false
            } else if byte == 0x5C {
                escaped = true
            } else if byte == 0x22 {
                inString = false
            }
            return
        }
        let isSpace = byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        switch (part, byte) {
        // It may separate what only then is no JSON: `3 5`.
        case (.inside, _) where isSpace && !element.isEmpty: element.append(byte)
        case (_, _) where isSpace: return
        case (.before, UInt8(ascii: "[")): part = .inside
        case (.before, _), (.after, _):
            throw .malformed(line: line, column: column, .expected("a list"))
        case (.inside, UInt8(ascii: ",")) where depth == 0:
            guard !element.isEmpty else { throw unexpected(byte) }
            finish(each)
            afterComma = true
        case (.inside, UInt8(ascii: "]")) where depth == 0:
            guard !element.isEmpty || !afterComma else { throw unexpected(byte) }
            finish(each)
            part = .after
        case (.inside, _):
            switch byte {
            case 0x22: inString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            element.append(byte)
        }
    }

    private func unexpected(_ byte: UInt8) -> JSONError {
        .malformed(
            line: line, column: column, .unexpected(Character(Unicode.Scalar(byte))))
    }

    private mutating func finish(_ each: ([UInt8]) -> Void) {
        guard !element.isEmpty else { return }
        while let last = element.last, last <= 0x20 { element.removeLast() }
        each(element)
        afterComma = false
        element.removeAll(keepingCapacity: true)
    }
}
