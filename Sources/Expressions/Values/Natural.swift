/// An integer that the digits of a decimal are made with.
protocol WideInteger {
    init(_ value: UInt64)
    mutating func multiply(by factor: UInt32)
    mutating func shiftLeft(_ count: Int)
    func adding(_ other: Self) -> Self
    /// Takes `other` away, which is not larger.
    mutating func subtract(_ other: Self)
    /// Negative, zero or positive, as `a` is smaller than, equal to or larger than `b`.
    static func compare(_ a: Self, _ b: Self) -> Int
}

extension UInt128: WideInteger {
    mutating func multiply(by factor: UInt32) { self *= UInt128(factor) }
    mutating func shiftLeft(_ count: Int) { self <<= count }
    func adding(_ other: UInt128) -> UInt128 { self + other }
    mutating func subtract(_ other: UInt128) { self -= other }
    static func compare(_ a: UInt128, _ b: UInt128) -> Int { a < b ? -1 : a == b ? 0 : 1 }
}

/// A natural number without a limit, as far as the conversion of decimals needs one.
struct Natural: WideInteger {
    /// The least significant word first, without zeros at the end.
    private var words: [UInt32]

    init(_ value: UInt64) {
        words = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
        trim()
    }

    private mutating func trim() {
        while words.last == 0 { words.removeLast() }
    }

    var bitWidth: Int {
        guard let last = words.last else { return 0 }
        return words.count * 32 - last.leadingZeroBitCount
    }

    mutating func multiply(by factor: UInt32) {
        var carry: UInt64 = 0
        for index in words.indices {
            carry += UInt64(words[index]) * UInt64(factor)
            words[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        if carry > 0 { words.append(UInt32(carry)) }
    }

    mutating func add(_ small: UInt32) {
        self = adding(Natural(UInt64(small)))
    }

    func adding(_ other: Natural) -> Natural {
        var sum = self
        var carry: UInt64 = 0
        for index in 0..<max(words.count, other.words.count) {
            if index == sum.words.count { sum.words.append(0) }
            carry += UInt64(sum.words[index])
            if index < other.words.count { carry += UInt64(other.words[index]) }
            sum.words[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        if carry > 0 { sum.words.append(UInt32(carry)) }
        return sum
    }

    mutating func subtract(_ other: Natural) {
        var borrow: Int64 = 0
        for index in words.indices {
            let taken = index < other.words.count ? Int64(other.words[index]) : 0
            let difference = Int64(words[index]) - taken + borrow
            words[index] = UInt32(truncatingIfNeeded: difference)
            borrow = difference >> 32
        }
        trim()
    }

    mutating func shiftLeft(_ count: Int) {
        guard !words.isEmpty, count > 0 else { return }
        let bits = UInt32(count % 32)
        if bits > 0 {
            var carry: UInt32 = 0
            for index in words.indices {
                let word = words[index]
                words[index] = word << bits | carry
                carry = word >> (32 - bits)
            }
            if carry > 0 { words.append(carry) }
        }
        words.insert(contentsOf: [UInt32](repeating: 0, count: count / 32), at: 0)
    }

    /// Divides by `divisor`, keeps the remainder here and returns a quotient of at most 63 bits.
    mutating func quotient(by divisor: Natural) -> UInt64 {
        var quotient: UInt64 = 0
        var shift = max(0, bitWidth - divisor.bitWidth)
        while true {
            var shifted = divisor
            shifted.shiftLeft(shift)
            quotient <<= 1
            if Natural.compare(self, shifted) >= 0 {
                subtract(shifted)
                quotient |= 1
            }
            if shift == 0 { return quotient }
            shift -= 1
        }
    }

    static func compare(_ a: Natural, _ b: Natural) -> Int {
        if a.words.count != b.words.count { return a.words.count - b.words.count }
        for index in a.words.indices.reversed() where a.words[index] != b.words[index] {
            return a.words[index] < b.words[index] ? -1 : 1
        }
        return 0
    }
}
