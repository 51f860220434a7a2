/// Days, hours and years of seconds since 1970 (the Gregorian calendar, also before its time).
enum Calendar {
    struct Date: Hashable, Sendable {
        var year: Int
        /// From 1 to 12.
        var month: Int
        /// From 1 to 31.
        var day: Int
    }

    /// Times further away than this, some 300,000 years, are not drawn.
    static let farthest = 1e13
    static let day = 86_400
    /// Seconds of the shortest month.
    static let month = 28 * day

    /// The date of a day, counted from 1970-01-01.
    static func date(ofDay day: Int) -> Date {
        // Years that begin in March end in the leap day; 400 of them have 146,097 days.
        let days = day + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let inEra = days - era * 146_097
        let year = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * year + year / 4 - year / 100)
        let fromMarch = (5 * inYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        return Date(
            year: year + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: inYear - (153 * fromMarch + 2) / 5 + 1)
    }

    /// The number of a date's day, counted from 1970-01-01.
    static func day(of date: Date) -> Int {
        let year = date.month <= 2 ? date.year - 1 : date.year
        let era = (year >= 0 ? year : year - 399) / 400
        let inEra = year - era * 400
        let fromMarch = date.month > 2 ? date.month - 3 : date.month + 9
        let inYear = (153 * fromMarch + 2) / 5 + date.day - 1
        return era * 146_097 + inEra * 365 + inEra / 4 - inEra / 100 + inYear - 719_468
    }

    /// The time as `2026-11-22`, or as `2026-11-22 10:04` where it is not midnight.
    static func text(_ seconds: Double, zone: Int) -> String {
        let local = Int(seconds.rounded(.down)) + zone
        let (date, second) = split(local)
        let text = "\(date.year)-\(two(date.month))-\(two(date.day))"
        return second == 0 ? text : text + " " + clock(second, seconds: second % 60 != 0)
    }

    static func split(_ local: Int) -> (Date, second: Int) {
        let days = floored(local, day)
        return (date(ofDay: days), local - days * day)
    }

    static func clock(_ second: Int, seconds: Bool) -> String {
        let text = two(second / 3600) + ":" + two(second / 60 % 60)
        return seconds ? text + ":" + two(second % 60) : text
    }

    static func floored(_ number: Int, _ divisor: Int) -> Int {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Marks on an axis of time, one step of the calendar apart.
enum TimeTicks {
    private enum Step {
        case seconds(Int)
        case months(Int)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static let steps: [Step] = {
        let seconds = [1, 2, 5, 10, 15, 30].map { $0 } + [1, 2, 5, 10, 15, 30].map { $0 * 60 }
        let hours = [1, 2, 3, 6, 12, 24, 48, 72, 168, 336].map { $0 * 3600 }
        let years = [1, 10, 100, 1000, 10_000, 100_000].flatMap { [$0, $0 * 2, $0 * 5] }
        return (seconds + hours).map { .seconds($0) }
            + ([1, 2, 3, 6] + years.map { $0 * 12 }).map { .months($0) }
    }()

    /// - Parameter least: the seconds that two marks are apart at least: where all that is drawn are days
    ///   or months, nothing lies between these.
    static func ticks(
        in range: ClosedRange<Double>, zone: Int, atMost most: Int, least: Int = 0
    ) -> [Tick] {
        for step in steps {
            let length = range.upperBound - range.lowerBound
            let seconds: Double
            switch step {
            case .seconds(let count): seconds = Double(count)
            case .months(let count): seconds = Double(count) * 30.5 * 86_400
            }
            guard length / seconds < Double(most) + 1,
                seconds >= Double(least)
            else { continue }
            let ticks = ticks(in: range, zone: zone, step: step)
            if ticks.count <= most { return ticks }
        }
        return []
    }

    private static func ticks(in range: ClosedRange<Double>, zone: Int, step: Step) -> [Tick] {
        let low = Int(range.lowerBound.rounded(.up)) + zone
        let high = Int(range.upperBound.rounded(.down)) + zone
        var ticks: [Tick] = []
        var before = ""
        func add(_ local: Int, _ text: String, _ context: String) {
            ticks.append(
                Tick(
                    value: Double(local - zone), text: text,
                    context: context == before ? "" : context))
            before = context
        }
        switch step {
        case .seconds(let count):
            // Weeks begin on Mondays, as 1970-01-05 was.
            let anchor = count % (7 * Calendar.day) == 0 ? 4 * Calendar.day : 0
            var local = -Calendar.floored(anchor - low, count) * count + anchor
            while local <= high {
                let (date, second) = Calendar.split(local)
                let day = "\(date.day) \(months[date.month - 1])"
                if count < Calendar.day {
                    add(local, Calendar.clock(second, seconds: count < 60), "\(day) \(date.year)")
                } else {
                    add(local, day, "\(date.year)")
                }
                local += count
            }
        case .months(let count):
            let first = Calendar.split(low).0
            var month = Calendar.floored(first.year * 12 + first.month - 1, count) * count
            while true {
                let year = Calendar.floored(month, 12)
                let date = Calendar.Date(year: year, month: month - year * 12 + 1, day: 1)
                let local = Calendar.day(of: date) * Calendar.day
                if local > high { break }
                if local >= low {
                    if count < 12 {
                        add(local, months[date.month - 1], "\(year)")
                    } else {
                        add(local, "\(year)", "")
                    }
                }
                month += count
            }
        }
        return ticks
    }
}
