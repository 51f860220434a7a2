/// Text as UTF-8, with the operations that expressions need.
///
/// Lengths and positions count UTF-16 units, as form engines on phones do: a character beyond the
/// basic plane, such as an emoji, counts twice.
extension [UInt8] {
    init(_ text: StaticString) {
        self = text.withUTF8Buffer { [UInt8]($0) }
    }

    func isEqual(to text: StaticString) -> Bool {
        text.withUTF8Buffer { $0.count == count && $0.elementsEqual(self) }
    }

    /// The digits of an integer, with a minus where it is negative, padded with zeros to `width`.
    static func decimal(_ number: Int, width: Int = 1) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = number.magnitude
        repeat {
            digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        while digits.count < width { digits.append(UInt8(ascii: "0")) }
        if number < 0 { digits.append(UInt8(ascii: "-")) }
        return digits.reversed()
    }

    /// The bytes between spaces and control characters at both ends.
    var trimmed: ArraySlice<UInt8> {
        var slice = self[...]
        while let first = slice.first, first <= 0x20 { slice.removeFirst() }
        while let last = slice.last, last <= 0x20 { slice.removeLast() }
        return slice
    }

    /// The pieces between single spaces that are not empty.
    var words: [ArraySlice<UInt8>] {
        split(separator: UInt8(ascii: " "))
    }

    /// The offset of the first occurrence of `other`, if there is one.
    ///
    /// - Complexity: O(count × other.count).
    func firstOffset(of other: [UInt8]) -> Int? {
        guard other.count <= count else { return nil }
        guard let first = other.first else { return 0 }
        for start in 0...(count - other.count) where self[start] == first {
            if self[start..<start + other.count].elementsEqual(other) { return start }
        }
        return nil
    }

    func hasSuffix(_ other: [UInt8]) -> Bool {
        count >= other.count && self[(count - other.count)...].elementsEqual(other)
    }

    /// The length in UTF-16 units.
    var unitCount: Int {
        reduce(0) { $0 + UTF8Text.units(startingWith: $1) }
    }

    /// The part between two positions in UTF-16 units; half of a character is left out.
    func part(from start: Int, to end: Int) -> [UInt8] {
        var part: [UInt8] = []
        var unit = 0
        var isInside = false
        for byte in self {
            let units = UTF8Text.units(startingWith: byte)
            if !UTF8Text.isContinuation(byte) { isInside = unit >= start && unit + units <= end }
            unit += units
            if isInside { part.append(byte) }
        }
        return part
    }

    /// The characters, each as a slice of the bytes.
    var characters: [ArraySlice<UInt8>] {
        var characters: [ArraySlice<UInt8>] = []
        var start = 0
        for index in indices where index > start && !UTF8Text.isContinuation(self[index]) {
            characters.append(self[start..<index])
            start = index
        }
        if start < count { characters.append(self[start...]) }
        return characters
    }
}

/// The reading of UTF-8, lenient: a byte that begins no valid sequence is a character of its own.
enum UTF8Text {
    static func isContinuation(_ byte: UInt8) -> Bool {
        byte & 0b1100_0000 == 0b1000_0000
    }

    /// UTF-16 units of the character that begins with `byte`; none for a continuation.
    static func units(startingWith byte: UInt8) -> Int {
        if isContinuation(byte) { return 0 }
        return byte >= 0xF0 ? 2 : 1
    }

    /// The code point at `offset` and the offset after it.
    static func scalar(in bytes: [UInt8], at offset: Int) -> (value: UInt32, next: Int) {
        let first = bytes[offset]
        let length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1
        guard length > 1, offset + length <= bytes.count else {
            return (UInt32(first), offset + 1)
        }
        var value = UInt32(first & (0xFF >> UInt8(length + 1)))
        for byte in bytes[(offset + 1)..<(offset + length)] {
            guard isContinuation(byte) else { return (UInt32(first), offset + 1) }
            value = value << 6 | UInt32(byte & 0b0011_1111)
        }
        return (value, offset + length)
    }
}
