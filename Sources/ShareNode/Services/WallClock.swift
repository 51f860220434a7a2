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

    /// The moment as RFC 3339 in UTC, with milliseconds; at most the year 9999.
    package static func text(_ milliseconds: UInt64) -> String {
        var seconds = time_t(min(milliseconds / 1_000, 253_402_300_799))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date =
            padded(parts.tm_year + 1_900, 4) + "-" + padded(parts.tm_mon + 1, 2) + "-"
            + padded(parts.tm_mday, 2)
        let time =
            padded(parts.tm_hour, 2) + ":" + padded(parts.tm_min, 2) + ":"
            + padded(parts.tm_sec, 2) + "." + padded(Int32(milliseconds % 1_000), 3)
        return date + "T" + time + "Z"
    }

    /// A moment written by `text`, for people: to the minute, `2026-11-21 14:30 UTC`.
    package static func words(_ text: String) -> String {
        "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
