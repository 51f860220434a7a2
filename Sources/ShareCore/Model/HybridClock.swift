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
