/// A moment of the hybrid logical clock: 48 bits of milliseconds since 1970 and 16 bits of
/// counter. It decides between parallel edits and nothing else.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    /// The year 2200. A later moment is malformed, alike for everyone, so that nobody can use
    /// up the clock.
    private static let lastMillisecond: UInt64 = 7_258_118_400_000
    package static let latest = Timestamp(milliseconds: lastMillisecond, counter: 0)
    package static let zero = Timestamp(milliseconds: 0, counter: 0)

    /// Nil after `latest`.
    package init?(rawValue: UInt64) {
        guard rawValue <= Timestamp.lastMillisecond << 16 else { return nil }
        self.rawValue = rawValue
    }

    /// The moment, held at `latest` where it would lie beyond.
    package init(milliseconds: UInt64, counter: UInt16) {
        rawValue =
            milliseconds < Timestamp.lastMillisecond
            ? milliseconds << 16 | UInt64(counter) : Timestamp.lastMillisecond << 16
    }

    package var milliseconds: UInt64 { rawValue >> 16 }

    /// The moment `step` counts on (back, if negative); nil outside the clock's range.
    package func advanced(by step: Int64) -> Timestamp? {
        let (raw, overflow) = Int64(rawValue).addingReportingOverflow(step)
        guard !overflow, raw >= 0 else { return nil }
        return Timestamp(rawValue: UInt64(raw))
    }

    /// Counts from this moment to `other`; never overflows, as both lie within 60 bits.
    package func step(to other: Timestamp) -> Int64 { Int64(other.rawValue) - Int64(rawValue) }

    /// The next moment, or this one at the end of the clock.
    package var successor: Timestamp { advanced(by: 1) ?? self }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.rawValue < b.rawValue }
}

/// The device's hybrid logical clock (docs/protocol.md, "Clock"). The wall's time is passed in.
package struct HybridClock: Sendable {
    /// The greatest moment issued or accepted so far.
    package private(set) var last: Timestamp

    package init(last: Timestamp = .zero) { self.last = last }

    /// A moment after every one issued or accepted before; at the end of the clock it stays.
    package mutating func issue(wall milliseconds: UInt64) -> Timestamp {
        last = max(last.successor, Timestamp(milliseconds: milliseconds, counter: 0))
        return last
    }

    /// `count` moments that follow each other without a gap, of which the first is returned.
    /// At the end of the clock they coincide there.
    package mutating func issue(_ count: Int, wall milliseconds: UInt64) -> Timestamp {
        let first = issue(wall: milliseconds)
        last = first.advanced(by: Int64(max(count - 1, 0))) ?? Timestamp.latest
        return first
    }

    /// Takes an accepted operation's moment into account.
    package mutating func observe(_ moment: Timestamp) { last = max(last, moment) }
}
