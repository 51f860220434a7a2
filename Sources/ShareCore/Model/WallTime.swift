/// The time that a device's own clock showed: milliseconds since 1970, at most those of the last
/// timestamp. People see it; it decides nothing (docs/protocol.md, "Wall clock").
package struct WallTime: Hashable, Comparable, Sendable {
    package let milliseconds: UInt64

    /// The time, held at the last where it would lie beyond.
    package init(milliseconds: UInt64) {
        self.milliseconds = min(milliseconds, Timestamp.latest.milliseconds)
    }

    /// The time that a hybrid clock's milliseconds say.
    package init(_ clock: Timestamp) { milliseconds = clock.milliseconds }

    /// The time at which a record was entered: its id's, where that has one, else the put's clock.
    package init(ofPut id: RecordID, clock: Timestamp) { self = id.time ?? WallTime(clock) }

    /// The time that lies so many milliseconds after a hybrid clock's; nil before 1970 and after
    /// the last timestamp.
    package init?(_ difference: Int64, after clock: Timestamp) {
        let (sum, overflow) = Int64(clock.milliseconds).addingReportingOverflow(difference)
        guard !overflow, sum >= 0, UInt64(sum) <= Timestamp.latest.milliseconds else { return nil }
        milliseconds = UInt64(sum)
    }

    /// Milliseconds by which it lies after a hybrid clock's, as it is written; mostly 0.
    package func difference(after clock: Timestamp) -> Int64 {
        Int64(milliseconds) - Int64(clock.milliseconds)
    }

    package static func < (a: WallTime, b: WallTime) -> Bool { a.milliseconds < b.milliseconds }
}
