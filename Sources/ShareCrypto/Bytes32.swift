/// Thirty-two bytes held without a heap allocation, ordered as their bytes are.
package struct Bytes32: Hashable, Comparable, Sendable {
    /// The bytes as four big-endian words, so that comparing words compares bytes.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    package static let count = 32
    package static let zero = Bytes32(words: (0, 0, 0, 0))

    private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// The value of exactly 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Bytes32.count else { return nil }
        // Nearly all come out of arrays: byte by byte it was a sixth of what a busy room costs.
        let whole = bytes.withContiguousStorageIfAvailable { Bytes32(UnsafeRawBufferPointer($0)) }
        if let whole {
            self = whole
            return
        }
        var words: [4 of UInt64] = .init(repeating: 0)
        for (offset, byte) in bytes.enumerated() {
            words[offset / 8] = words[offset / 8] << 8 | UInt64(byte)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// The value of the 32 bytes at the start of `buffer`, which has at least as many.
    package init(_ buffer: UnsafeRawBufferPointer) {
        precondition(buffer.count >= Bytes32.count)
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        words = (word(0), word(8), word(16), word(24))
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the 32 bytes; the pointer is good only inside it.
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let big = (
            words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
        )
        return try Swift.withUnsafeBytes(of: big) { try body($0) }
    }

    // Word by word: where nothing is optimised, as in tests, a comparison of tuples asks the runtime
    // for their type each time, and was a seventh of what authority costs there.
    package static func == (a: Bytes32, b: Bytes32) -> Bool {
        a.words.0 == b.words.0 && a.words.1 == b.words.1
            && a.words.2 == b.words.2 && a.words.3 == b.words.3
    }

    package static func < (a: Bytes32, b: Bytes32) -> Bool {
        if a.words.0 != b.words.0 { return a.words.0 < b.words.0 }
        if a.words.1 != b.words.1 { return a.words.1 < b.words.1 }
        if a.words.2 != b.words.2 { return a.words.2 < b.words.2 }
        return a.words.3 < b.words.3
    }

    package func hash(into hasher: inout Hasher) {
        // All of it: others choose ids, and those that differ in what is left out all collide.
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension UnsafeRawBufferPointer {
    /// Calls `body` with the buffer as C's bytes; an empty buffer lends a valid address too,
    /// as libsodium's functions are declared never to take null.
    func withOctets<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        if let base = bindMemory(to: UInt8.self).baseAddress { return try body(base) }
        var nothing: UInt8 = 0
        return try withUnsafePointer(to: &nothing, body)
    }
}
