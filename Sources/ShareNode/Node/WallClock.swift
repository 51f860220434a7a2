import FoundationEssentials
import Glibc

/// The wall clock, for display and as the base of the hybrid clock.
package enum WallClock {
    /// Milliseconds since 1970; 0 for a clock before that.
    package static func milliseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        guard time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The moment as RFC 3339 in UTC, with milliseconds.
    package static func text(_ milliseconds: UInt64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        return date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
    }
}
