internal import ShareControl
import Glibc

/// Moments as people type them: `2026-11-21`, `2026-11-21T14:30`, `2026-11-21T14:30:05`, in the
/// time zone of this machine, or with a `Z` at the end in UTC; or a length of time before now.
enum TimestampText {
    /// The milliseconds since 1970 that an option names; nil where it is not given.
    static func milliseconds(_ option: String, _ arguments: ParsedArguments) throws(Problem) -> Int?
    {
        guard let text = arguments.value(option) else { return nil }
        if text == "now" { return now() }
        if let moment = milliseconds(text) { return moment }
        // A number alone may be meant as a day or a year.
        guard text.utf8.first.map({ $0 >= 48 && $0 <= 57 }) == true, !text.contains("-"),
            Int(text) == nil,
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

    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// Lengths of time as people type them: `500ms`, `5s`, `10m`, `2h`, `1d`; a bare number is seconds.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1000),
    ]

    /// The milliseconds that an option names; nil where it is not given.
    ///
    /// - Throws: `Problem` with `usage` for what is no length of time, or out of bounds.
    static func milliseconds(
        _ option: String, _ arguments: ParsedArguments, from least: Int = 0,
        to most: Int = 366 * 86_400_000, needsUnit: Bool = false
    ) throws(Problem) -> Int? {
        guard let text = arguments.value(option) else { return nil }
        if needsUnit, Int(text) != nil {
            throw Problem(
                .usage, "\(arguments.syntax.name): \(option) \(text) has no unit",
                hint: "Say which: \(text)m, \(text)h or \(text)d.")
        }
        if let length = milliseconds(text), (least...most).contains(length) { return length }
        let bounds = least > 0 ? "from \(self.text(least)) to" : "at most"
        throw arguments.syntax.problem(
            "\(option) needs a length of time such as 5s, 2m or 1h, \(bounds) \(self.text(most)), "
                + "not '\(Terminal.plain(text))'")
    }

    /// Nil for what is none, and for one beyond all bounds.
    private static func milliseconds(_ text: String) -> Int? {
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = Int(text.dropLast(unit.suffix.count)), number >= 0 else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
            return overflow ? nil : product
        }
        return nil
    }

    /// The length in its largest unit that divides it.
    private static func text(_ milliseconds: Int) -> String {
        let fitting = units.filter {
            !$0.suffix.isEmpty && milliseconds.isMultiple(of: $0.milliseconds)
        }
        guard let unit = fitting.last else { return "\(milliseconds)ms" }
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
