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
