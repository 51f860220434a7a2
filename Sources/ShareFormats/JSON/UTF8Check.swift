/// Whether bytes are well-formed UTF-8 (Unicode, table 3-7), and where they stop being so.
package enum UTF8Check {
    /// The offset of the first ill-formed sequence; nil where there is none.
    ///
    /// - Complexity: O(bytes).
    package static func firstInvalid(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { firstInvalid(in: $0) }
    }

    /// The same for a buffer.
    package static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            if lead < 0x80 {
                index += 1
                continue
            }
            guard let (length, second) = shape(lead), index + length <= bytes.count,
                second.contains(bytes[index + 1])
            else { return index }
            for offset in stride(from: 2, to: length, by: 1)
            where bytes[index + offset] & 0xc0 != 0x80 { return index }
            index += length
        }
        return nil
    }

    /// Whether no byte has its highest bit set.
    package static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Without an early exit, so that the compiler uses vector instructions.
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    private static func shape(_ lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case 0xc2...0xdf: (2, 0x80...0xbf)
        case 0xe0: (3, 0xa0...0xbf)
        case 0xed: (3, 0x80...0x9f)
        case 0xe1...0xef: (3, 0x80...0xbf)
        case 0xf0: (4, 0x90...0xbf)
        case 0xf1...0xf3: (4, 0x80...0xbf)
        case 0xf4: (4, 0x80...0x8f)
        default: nil
        }
    }
}
