extension RecordID {
    /// The usual 36 characters, in lower case.
    package var text: String {
        String(unsafeUninitializedCapacity: RecordID.textLength) { write(to: $0) }
    }

    /// The length of the text form in bytes.
    package static let textLength = 36

    /// Writes the 36 characters of the text form into `buffer` and returns 36.
    @discardableResult
    package func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        precondition(buffer.count >= RecordID.textLength)
        var position = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                buffer[position] = UInt8(ascii: "-")
                position += 1
            }
            let word = digit < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - digit % 16 * 4)) & 15
            buffer[position] = nibble < 10 ? 48 + nibble : 87 + nibble
            position += 1
        }
        return position
    }

    /// Reads 32 hexadecimal digits in either case, with or without hyphens.
    package init?(text: some StringProtocol) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for character in text.utf8 where character != UInt8(ascii: "-") {
            let nibble: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): nibble = character - 48
            case UInt8(ascii: "a")...UInt8(ascii: "f"): nibble = character - 87
            case UInt8(ascii: "A")...UInt8(ascii: "F"): nibble = character - 55
            default: return nil
            }
            words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | UInt64(nibble))
            digits += 1
        }
        guard digits == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }
}
