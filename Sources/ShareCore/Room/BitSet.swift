/// A set of small numbers, one bit each.
struct BitSet {
    private var words: [UInt64]

    /// An empty set for numbers below `count`.
    init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

    mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }

    func contains(_ number: Int) -> Bool { words[number / 64] >> UInt64(number % 64) & 1 == 1 }

    mutating func formUnion(_ other: BitSet) {
        for place in words.indices { words[place] |= other.words[place] }
    }
}
