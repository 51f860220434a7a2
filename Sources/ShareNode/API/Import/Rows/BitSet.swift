/// Numbers from 0 on, a bit for each: the lines of a file, or its rows.
struct BitSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    /// - Returns: whether it was not in there before.
    @discardableResult
    mutating func insert(_ number: Int) -> Bool {
        guard !contains(number), number >= 0 else { return false }
        let word = number >> 6
        if word >= words.count {
            words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
        }
        words[word] |= 1 << UInt64(number & 63)
        count += 1
        return true
    }

    func contains(_ number: Int) -> Bool {
        let word = number >> 6
        return words.indices.contains(word) && words[word] & 1 << UInt64(number & 63) != 0
    }

    /// All of them, ascending.
    func forEach(_ body: (Int) throws -> Void) rethrows {
        for (position, word) in words.enumerated() {
            var left = word
            while left != 0 {
                try body(position << 6 + left.trailingZeroBitCount)
                left &= left - 1
            }
        }
    }
}
