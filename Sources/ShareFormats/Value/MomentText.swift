internal import ShareCore

/// Reads days and times as people write them, where these can mean one alone.
package enum MomentText {
    /// Years before this one are taken for slips: `0026-10-01`.
    static let firstYear = 1000

    /// The days that a text may mean whose parts stand in any order: `22.11.2026` has the day first,
    /// `02/11/2026` may be two, `2026/11/2` begins with the year.
    package static func days(_ text: String) -> [String] {
        if let day = yearFirst(text) { return [day] }
        guard text.contains(where: { "/.-".contains($0) }) else { return [] }
        let orders: [CSVHabits.DateOrder] =
            text.contains(".") ? [.dmy] : text.contains("-") ? [.dmy, .mdy, .ymd] : [.dmy, .mdy]
        return Set(orders.compactMap { day(text, $0) }).sorted()
    }

    /// A day whose year comes first, in four digits: `2026-1-2`, `2026/01/02`, `2026.1.2`.
    static func yearFirst(_ text: String) -> String? {
        text.prefix { (48...57).contains($0.utf8.first ?? 0) }.utf8.count == 4
            ? day(text, .ymd) : nil
    }

    /// A day with its parts in an order: `22/11/2026`, `22.11.26`, `2026/11/22`. Of two digits of a
    /// year 30 to 99 mean 1930 to 1999, as in spreadsheets.
    static func day(_ text: String, _ order: CSVHabits.DateOrder) -> String? {
        var parts = text.split(omittingEmptySubsequences: false) { "/.-".contains($0) }
        if parts.count == 4, text.hasSuffix(".") { parts.removeLast() }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
        }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        let (year, month, date): (Int, Int, Int) =
            switch order {
            case .dmy: (2, 1, 0)
            case .mdy: (2, 0, 1)
            case .ymd: (0, 1, 2)
            }
        guard [2, 4].contains(parts[year].utf8.count), parts[month].utf8.count <= 2,
            parts[date].utf8.count <= 2
        else { return nil }
        // `01-10-1` may be anything.
        if order == .ymd, parts[year].utf8.count == 2, parts[date].utf8.count == 1 { return nil }
        let short = numbers[year] < 30 ? 2000 : 1900
        let whole = parts[year].utf8.count == 2 ? numbers[year] + short : numbers[year]
        guard whole >= firstYear else { return nil }
        let day = "\(whole)-\(two(numbers[month]))-\(two(numbers[date]))"
        return CalendarText.isDate(Array(day.utf8)) ? day : nil
    }

    /// Whether a text is a day as forms write it, and of no year that must be a slip.
    static func isSound(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.first != UInt8(ascii: "0")
    }

    /// A time as forms write it: `9:30`, `9.30`, `9h30`, `0930`, `9:30 pm`, `9 pm`.
    package static func time(_ text: String) -> String? {
        var text = text.lowercased()
        var half: Int?
        for (mark, hours) in [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)]
        where text.hasSuffix(mark) {
            half = hours
            text = ValueReader.trimmed(String(text.dropLast(mark.count)))
            break
        }
        let digits = text.prefix { (48...57).contains($0.utf8.first ?? 0) }
        let rest = text.dropFirst(digits.count)
        let hour: Substring
        let behind: String
        switch (digits.utf8.count, rest.first) {
        case (1...2, ":"): (hour, behind) = (digits, String(rest))
        // A part of a day, as spreadsheets have it, has a 0 alone in front.
        case (1...2, "."), (1...2, "h"):
            guard digits != "0" || rest.first == "h", rest.utf8.count == 3 else { return nil }
            (hour, behind) = (digits, ":" + rest.dropFirst())
        case (4, nil): (hour, behind) = (digits.prefix(2), ":" + digits.dropFirst(2))
        case (1...2, nil) where half != nil: (hour, behind) = (digits, ":00")
        default: return nil
        }
        guard var number = Int(hour) else { return nil }
        if let half {
            guard (1...12).contains(number) else { return nil }
            number = number % 12 + half
        }
        let found = two(number) + behind.uppercased()
        return CalendarText.isTime(Array(found.utf8)) ? found : nil
    }

    /// A day and a time with a space or `T` between them.
    static func dateTime(_ text: String) -> String? { dateTime(text, day: yearFirst) }

    /// - Parameter day: reads what stands before the time.
    package static func dateTime(_ text: String, day: (String) -> String?) -> String? {
        let mark = text.indices.first { index in
            // "Today" has a T too.
            text[index] == " "
                || text[index] == "T" && text[..<index].last?.isWholeNumber == true
        }
        guard let mark else { return nil }
        let rest = ValueReader.trimmed(String(text[text.index(after: mark)...]))
        guard let day = day(String(text[..<mark])) else { return nil }
        let time = CalendarText.isTime(Array(rest.utf8)) ? rest : time(rest)
        return time.map { "\(day)T\($0)" }
    }

    static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
