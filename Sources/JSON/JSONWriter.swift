/// Appends JSON to bytes, without white space. It does not check the nesting of what it is told.
package struct JSONWriter: Sendable {
    package var bytes: [UInt8]

    package init(reserving capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Hands out what was written and starts anew, keeping the memory.
    package mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.capacity)
        return taken
    }

    /// Appends a whole value.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let bool): self.bool(bool)
        case .integer(let integer): self.integer(integer)
        case .double(let double): decimal(double)
        case .string(let string): text(string)
        case .array(let values):
            raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { raw(",") }
                self.value(value)
            }
            raw("]")
        case .object(let object):
            raw("{")
            for (index, member) in object.members.enumerated() {
                if index > 0 { raw(",") }
                text(member.key)
                raw(":")
                self.value(member.value)
            }
            raw("}")
        }
    }

    /// Appends bytes as they are: brackets, commas.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are: names that were prepared.
    package mutating func raw(_ prepared: [UInt8]) { bytes.append(contentsOf: prepared) }

    package mutating func null() { raw("null") }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// Appends a whole number, exactly.
    package mutating func integer(_ value: Int64) { Self.append(value, to: &bytes) }

    /// Appends the shortest text that reads back as the same double, always with a point or an
    /// exponent; null for infinities and NaN, which JSON lacks.
    package mutating func decimal(_ value: Double) {
        guard value.isFinite else { return null() }
        var text = value.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends a text in quotes. Only `"`, `\` and control characters are escaped.
    package mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { self.text(utf8: $0) }
    }

    /// Appends a text in quotes; the caller vouches that the buffer is UTF-8.
    package mutating func text(utf8: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        // Without an early exit, so that the compiler uses vector instructions.
        var isSpecial = false
        for byte in utf8 { isSpecial = isSpecial || Self.isSpecial(byte) }
        if isSpecial {
            for byte in utf8 {
                if Self.isSpecial(byte) { escape(byte) } else { bytes.append(byte) }
            }
        } else {
            bytes.append(contentsOf: utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the decimal digits of `value` to any bytes, as JSON and CSV write them alike.
    package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var digits: [20 of UInt8] = .init(repeating: 0)
        var first = 20
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = 48 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        for index in first..<20 { bytes.append(digits[index]) }
    }

    /// Bytes that a byte takes at most within a text.
    package static func length(of byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x0A: 2
        default: isSpecial(byte) ? 6 : 1
        }
    }

    /// DEL is legal in JSON but not on a terminal, where `--json` may be read.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x08: raw("\\b")
        case 0x09: raw("\\t")
        case 0x0A: raw("\\n")
        case 0x0C: raw("\\f")
        case 0x0D: raw("\\r")
        default:
            raw("\\u00")
            bytes.append(48 + byte >> 4)
            let low = byte & 15
            bytes.append(low < 10 ? 48 + low : 87 + low)
        }
    }
}

extension JSONValue {
    /// The value as UTF-8, without line breaks.
    package var text: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
