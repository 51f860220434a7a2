/// Bytes of JSON in the making. It writes what it is told and does not check the nesting.
package struct JSONOutput: Sendable {
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

    /// Bytes as they are: brackets, commas, prepared keys.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Bytes as they are.
    package mutating func raw(_ prepared: [UInt8]) { bytes.append(contentsOf: prepared) }

    /// A text in quotes, escaped as RFC 8259 §7 demands and no further.
    package mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { self.text(utf8: $0) }
    }

    /// A text in quotes; the caller vouches that the buffer is UTF-8.
    package mutating func text(utf8: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var special = false
        for byte in utf8 { special = special || JSONOutput.isSpecial(byte) }
        if special {
            for byte in utf8 { escaped(byte) }
        } else {
            bytes.append(contentsOf: utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A whole number, exactly.
    package mutating func integer(_ value: Int64) { NumberText.append(value, to: &bytes) }

    /// The shortest text that reads back as the same double; null for what JSON cannot say.
    package mutating func decimal(_ value: Double) {
        guard value.isFinite else { return raw("null") }
        bytes.append(contentsOf: value.description.utf8)
    }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func null() { raw("null") }

    /// A whole tree, without spaces.
    package mutating func tree(_ tree: JSONTree) {
        switch tree {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .decimal(let value): decimal(value)
        case .text(let value): text(value)
        case .list(let elements):
            raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { raw(",") }
                self.tree(element)
            }
            raw("]")
        case .object(let members):
            raw("{")
            for (index, member) in members.enumerated() {
                if index > 0 { raw(",") }
                text(member.name)
                raw(":")
                self.tree(member.value)
            }
            raw("}")
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escaped(_ byte: UInt8) {
        guard JSONOutput.isSpecial(byte) else { return bytes.append(byte) }
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x08: raw("\\b")
        case 0x09: raw("\\t")
        case 0x0a: raw("\\n")
        case 0x0c: raw("\\f")
        case 0x0d: raw("\\r")
        default:
            raw("\\u00")
            bytes.append(48 + byte >> 4)
            let low = byte & 15
            bytes.append(low < 10 ? 48 + low : 87 + low)
        }
    }
}
