import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Days that people name in one word.
struct DayRange: Equatable {
    /// Days since 1970-01-01; `end` is the first that is not meant.
    let start: Int
    let end: Int

    /// `2026-11-22`, `2026-11`, `today`, `yesterday`, `tomorrow`, `this-week`, `last-week`,
    /// `this-month`, `last-month`, and a day in the one order that it can have, `22.11.2026`; nil for
    /// anything else.
    ///
    /// - Parameter today: the day that it is.
    init?(_ text: String, today: Int) {
        let text = text.lowercased()
        let monday = today - CalendarText.weekday(ofDay: today)
        switch text {
        case "today": self.init(today, 1)
        case "yesterday": self.init(today - 1, 1)
        case "tomorrow": self.init(today + 1, 1)
        case "this-week": self.init(monday, 7)
        case "last-week": self.init(monday - 7, 7)
        case "this-month", "last-month":
            guard let first = CalendarText.text(ofDay: today)?.prefix(7) else { return nil }
            guard let month = DayRange(month: String(first)) else { return nil }
            if text == "this-month" {
                self = month
            } else {
                guard let before = CalendarText.text(ofDay: month.start - 1),
                    let last = DayRange(month: String(before.prefix(7)))
                else { return nil }
                self = last
            }
        default:
            let others = MomentText.days(text)
            let other = others.count == 1 ? CalendarText.day(of: others[0]) : nil
            if let day = CalendarText.day(of: text) ?? other {
                self.init(day, 1)
            } else if let month = DayRange(month: text) {
                self = month
            } else {
                return nil
            }
        }
    }

    private init(_ start: Int, _ count: Int) {
        self.start = start
        end = start + count
    }

    private init?(month text: String) {
        guard text.utf8.count == 7, let first = CalendarText.day(of: text + "-01") else {
            return nil
        }
        // The first day of the next month is at most 31 days on.
        for length in 28...31 {
            guard let next = CalendarText.text(ofDay: first + length) else { continue }
            if next.hasSuffix("-01") {
                self.init(first, length)
                return
            }
        }
        return nil
    }

    /// A hint for a text that is no day, or may be two.
    static func hint(for text: String) -> String {
        let days = MomentText.days(text)
        return days.count > 1
            ? "Write \(days.joined(separator: " or ")): which is meant is not clear." : hint
    }

    /// The same for what may be none.
    static let hint =
        "Give a day such as 2026-11-22, a month such as 2026-11, or one of: "
        + DayWord.all.joined(separator: ", ") + "."
}
