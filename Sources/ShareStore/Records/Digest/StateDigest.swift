import ShareCore
package import ShareCrypto

/// The digest of a room's merged state: a sum of hashes modulo 2²⁵⁶, so that an item is added
/// and taken away without a look at the others (docs/protocol.md, "Digest").
package struct StateDigest: Hashable, Sendable {
    // Most significant word first.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    package static let zero = StateDigest(words: (0, 0, 0, 0))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// The item with this hash.
    package init(_ digest: Digest) {
        words = digest.value.withUnsafeBytes { buffer in
            func word(_ position: Int) -> UInt64 {
                UInt64(
                    bigEndian: buffer.loadUnaligned(fromByteOffset: position * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The digest in exactly 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let digest = Digest(bytes) else { return nil }
        self.init(digest)
    }

    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }
    }

    package static func += (a: inout StateDigest, b: StateDigest) {
        var carry: UInt64 = 0
        func add(_ x: UInt64, _ y: UInt64) -> UInt64 {
            let (first, over) = x.addingReportingOverflow(y)
            let (second, again) = first.addingReportingOverflow(carry)
            carry = over || again ? 1 : 0
            return second
        }
        a.words.3 = add(a.words.3, b.words.3)
        a.words.2 = add(a.words.2, b.words.2)
        a.words.1 = add(a.words.1, b.words.1)
        a.words.0 = add(a.words.0, b.words.0)
    }

    package static func -= (a: inout StateDigest, b: StateDigest) {
        var borrow: UInt64 = 0
        func subtract(_ x: UInt64, _ y: UInt64) -> UInt64 {
            let (first, under) = x.subtractingReportingOverflow(y)
            let (second, again) = first.subtractingReportingOverflow(borrow)
            borrow = under || again ? 1 : 0
            return second
        }
        a.words.3 = subtract(a.words.3, b.words.3)
        a.words.2 = subtract(a.words.2, b.words.2)
        a.words.1 = subtract(a.words.1, b.words.1)
        a.words.0 = subtract(a.words.0, b.words.0)
    }

    package static func + (a: StateDigest, b: StateDigest) -> StateDigest {
        var sum = a
        sum += b
        return sum
    }

    package static func - (a: StateDigest, b: StateDigest) -> StateDigest {
        var difference = a
        difference -= b
        return difference
    }

    package static func == (a: StateDigest, b: StateDigest) -> Bool { a.words == b.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.3)
    }
}

extension StateDigest {
    /// 64 hexadecimal digits.
    package var text: String { Hex.encode(bytes) }
}
