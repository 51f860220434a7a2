internal import ShareControl
import Glibc

/// Moments as people type them: `2026-11-21`, `2026-11-21T14:30`, `2026-11-21T14:30:05`, in the
/// time zone of this machine, or with a `Z` at the end in UTC; or a length of time before now.
enum MomentText {
    /// The milliseconds since 1970 that an option names; nil where it is not given.
    static func milliseconds(_ option: String, _ arguments: ParsedArguments) throws(Problem) -> Int?
    {
        guard let text = arguments.value(option) else { return nil }
        if text == "now" { return now() }
        if let moment = milliseconds(text) { return moment }
        guard text.utf8.first.map({ $0 >= 48 && $0 <= 57 }) == true, !text.contains("-"),
            let length = try? DurationText.milliseconds(option, arguments)
        else {
            throw arguments.syntax.problem(
                "\(option) needs a time such as 2026-11-21, 2026-11-21T14:30, or 3h for three "
                    + "hours ago, not '\(Terminal.plain(text))'")
        }
        return max(0, now() - length)
    }

    static func milliseconds(_ text: String) -> Int? {
        let isUTC = text.hasSuffix("Z")
        let parts = (isUTC ? text.dropLast() : text[...])
            .split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count <= 2, let date = numbers(parts[0], "-", widths: [4, 2, 2]) else {
            return nil
        }
        var time = [0, 0, 0]
        if parts.count == 2 {
            guard
                let read = numbers(parts[1], ":", widths: [2, 2])
                    ?? numbers(parts[1], ":", widths: [2, 2, 2])
            else { return nil }
            time = read + Array(repeating: 0, count: 3 - read.count)
        }
        guard date[0] >= 1970, (1...12).contains(date[1]), time[0] < 24, time[1] < 60,
            time[2] < 60
        else { return nil }
        var moment = tm()
        moment.tm_year = Int32(date[0] - 1900)
        moment.tm_mon = Int32(date[1] - 1)
        moment.tm_mday = Int32(date[2])
        moment.tm_hour = Int32(time[0])
        moment.tm_min = Int32(time[1])
        moment.tm_sec = Int32(time[2])
        moment.tm_isdst = -1
        let seconds = isUTC ? timegm(&moment) : mktime(&moment)
        // A 30th of February has become a day of March.
        guard moment.tm_mday == Int32(date[2]), seconds >= 0 else { return nil }
        return seconds * 1000
    }

    /// A moment to the minute, in the time zone of this machine: `2026-11-21 14:30`.
    static func text(_ milliseconds: Int) -> String {
        var seconds = time_t(milliseconds / 1000)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return "?" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Int(local.tm_year) + 1900)-\(two(local.tm_mon + 1))-\(two(local.tm_mday))"
            + " \(two(local.tm_hour)):\(two(local.tm_min))"
    }

    private static func numbers(
        _ text: Substring, _ separator: Character, widths: [Int]
    ) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths else { return nil }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } ? Int(part) : nil
        }
        return numbers.count == widths.count ? numbers : nil
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
