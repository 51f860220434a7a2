/// Appends JSON text to bytes; what streams rows calls these without building a `JSONValue`.
package enum JSONWriter {
    /// Appends `value` without any white space.
    ///
    /// A double is written in its shortest form that reads back as the same double, always with a
    /// point or an exponent; infinities and NaN, which JSON lacks, become null.
    package static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .integer(let integer): append(integer, to: &bytes)
        case .double(let double): append(double, to: &bytes)
        case .string(let string): append(string, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                append(member.value, to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    package static func append(_ integer: Int64, to bytes: inout [UInt8]) {
        var text = integer.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    package static func append(_ double: Double, to bytes: inout [UInt8]) {
        guard double.isFinite else { return bytes.append(contentsOf: "null".utf8) }
        var text = double.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends a string in quotes. Only `"`, `\` and control characters are escaped.
    package static func append(_ string: String, to bytes: inout [UInt8]) {
        var string = string
        string.withUTF8 { append(utf8: $0, to: &bytes) }
    }

    /// Appends text that is known to be valid UTF-8, in quotes.
    package static func append(utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for index in utf8.indices {
            let byte = utf8[index]
            // DEL is legal in JSON but not on a terminal, where `--json` may be read.
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
            escape(byte, to: &bytes)
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            for digit in [byte >> 4, byte & 15] {
                bytes.append(digit < 10 ? digit + 0x30 : digit - 10 + 0x61)
            }
        }
    }
}

extension JSONValue {
    /// The value as UTF-8, without line breaks.
    package var text: [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.append(self, to: &bytes)
        return bytes
    }
}
