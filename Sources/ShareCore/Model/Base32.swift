package import ShareCrypto

/// The alphabet of RFC 4648 §6 in lower case, without padding: how ids are written for people.
package enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The text of `bytes`, 8 characters for each 5 bytes begun.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 5 {
                held -= 5
                text.append(alphabet[Int(bits >> UInt32(held) & 31)])
            }
        }
        if held > 0 { text.append(alphabet[Int(bits << UInt32(5 - held) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`, in either case; nil if a character or the length is impossible, or
    /// if bits beyond the last byte are not zero.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        for character in text.utf8 {
            let value: UInt8
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a")
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
            default: return nil
            }
            bits = bits << 5 | UInt32(value)
            held += 5
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        guard held < 5, bits & ((1 << UInt32(held)) - 1) == 0 else { return nil }
        return bytes
    }
}

/// Hexadecimal digits in lower case: how digests are written for people.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The text of `bytes`, two digits for each.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}

extension DeviceKey {
    /// How a device is written in full: `dev:` and 52 characters.
    package var text: String { "dev:" + Base32.encode(bytes) }

    /// The first 8 characters, for people; not unique against an attacker.
    package var short: String { String(Base32.encode(bytes).prefix(8)) }

    /// Reads the full form, with or without `dev:`.
    package init?(text: String) {
        let digits = text.hasPrefix("dev:") ? text.dropFirst(4) : text[...]
        guard let bytes = Base32.decode(digits), let key = DeviceKey(bytes) else { return nil }
        self = key
    }
}
