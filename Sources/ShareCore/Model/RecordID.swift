package import ShareCrypto

/// A record's id, 16 bytes, a UUID (RFC 9562); with its creator's key and its form it names a
/// record.
package struct RecordID: Hashable, Comparable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package static let length = 16

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The id in exactly 16 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == RecordID.length else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for byte in bytes { words = (words.0 << 8 | words.1 >> 56, words.1 << 8 | UInt64(byte)) }
        self.init(high: words.0, low: words.1)
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    /// A version 7 id: 48 bits of milliseconds, 74 bits of `random`.
    package init(milliseconds: UInt64, random: (UInt16, UInt64)) {
        high = milliseconds << 16 | 0x7000 | UInt64(random.0 & 0x0fff)
        low = 0x8000_0000_0000_0000 | random.1 & 0x3fff_ffff_ffff_ffff
    }

    /// The time that a version 7 id begins with; nil for any other id, and for a time after the last
    /// timestamp.
    package var time: WallTime? {
        guard high >> 12 & 0xf == 7, low >> 62 == 0b10, high >> 16 <= Timestamp.latest.milliseconds
        else { return nil }
        return WallTime(milliseconds: high >> 16)
    }

    /// The id `step` places further, where that leaves the upper half and the variant bits
    /// alone; nil else.
    package func advanced(by step: UInt64) -> RecordID? {
        let (low, overflow) = low.addingReportingOverflow(step)
        guard !overflow, low >> 62 == self.low >> 62 else { return nil }
        return RecordID(high: high, low: low)
    }

    /// How far `next` lies beyond this id, where `advanced(by:)` leads there; nil else.
    package func step(to next: RecordID) -> UInt64? {
        guard high == next.high, low <= next.low, low >> 62 == next.low >> 62 else { return nil }
        return next.low - low
    }

    package static func < (a: RecordID, b: RecordID) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }
}

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
        // Each row that is entered or merged passes through here.
        write(high >> 32, digits: 8, to: buffer, at: 0)
        write(high >> 16, digits: 4, to: buffer, at: 9)
        write(high, digits: 4, to: buffer, at: 14)
        write(low >> 48, digits: 4, to: buffer, at: 19)
        write(low, digits: 12, to: buffer, at: 24)
        for place in [8, 13, 18, 23] { buffer[place] = UInt8(ascii: "-") }
        return RecordID.textLength
    }

    /// Appends the 36 characters of the text form.
    package func append(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RecordID.textLength) { buffer in
            write(to: buffer)
            bytes.append(contentsOf: UnsafeBufferPointer(buffer))
        }
    }

    /// Writes the last digits of a word.
    @inline(__always)
    private func write(
        _ word: UInt64, digits: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) {
        var word = word
        for position in stride(from: start + digits - 1, through: start, by: -1) {
            let nibble = UInt8(truncatingIfNeeded: word) & 15
            buffer[position] = nibble < 10 ? 48 + nibble : 87 + nibble
            word >>= 4
        }
    }

    /// Reads 32 hexadecimal digits in either case, with or without hyphens.
    package init?(text: some StringProtocol) {
        var text = String(text)
        guard let id = text.withUTF8({ RecordID(utf8: $0) }) else { return nil }
        self = id
    }

    /// The same of a text's bytes: a table is read with one for each row.
    package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for character in text where character != UInt8(ascii: "-") {
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

/// The name of a record: the form it fills, the device that created it, and its id. Equal ids of
/// two creators, or in two forms, are two records.
package struct RecordName: Hashable, Comparable, Sendable {
    package let form: String
    package let creator: DeviceKey
    package let id: RecordID

    package init(form: String, creator: DeviceKey, id: RecordID) {
        self.form = form
        self.creator = creator
        self.id = id
    }

    package static func < (a: RecordName, b: RecordName) -> Bool {
        if a.form != b.form { return a.form.utf8.lexicographicallyPrecedes(b.form.utf8) }
        return (a.creator, a.id) < (b.creator, b.id)
    }
}
