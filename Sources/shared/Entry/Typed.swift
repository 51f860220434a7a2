internal import JSON
internal import ShareControl
import Glibc

/// What people type at a question, read as what they mean.
enum Typed {
    static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    static func quoted(_ text: String) -> String { "\"\(text)\"" }

    static func isSeveral(_ field: EntryField) -> Bool {
        field.type.hasPrefix("select_multiple") || field.type.hasPrefix("rank")
    }

    /// The text in lower case and without accents on Latin letters, for comparing.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var folded = String.UnicodeScalarView()
        for scalar in text.lowercased().unicodeScalars {
            if scalar.properties.generalCategory == .nonspacingMark { continue }
            // "LATIN SMALL LETTER E WITH ACUTE"
            let words =
                (scalar.value > 0x7F ? scalar.properties.name : nil)?
                .split(separator: " ") ?? []
            if words.count > 4, words.starts(with: ["LATIN", "SMALL", "LETTER"]),
                words[4] == "WITH", let letter = words[3].lowercased().unicodeScalars.first,
                words[3].count == 1
            {
                folded.append(letter)
            } else {
                folded.append(scalar)
            }
        }
        return String(folded)
    }

    // MARK: Other values

    /// The text as the daemon reads it: dates in full.
    static func value(_ text: String, of field: EntryField, today: String = today()) -> String {
        switch field.type {
        case "date": return date(text, today) ?? text
        case "dateTime" where ["now", "n"].contains(text.lowercased()): return now()
        case "dateTime":
            guard let space = text.firstIndex(of: " "),
                let day = date(String(text[..<space]), today)
            else { return text }
            return day + text[space...]
        case "time" where ["now", "n"].contains(text.lowercased()):
            return String(now().dropFirst(11))
        case "acknowledge" where ["y", "yes", "ok", "1"].contains(text.lowercased()): return "OK"
        default: return text
        }
    }

    /// The days that a date may mean whose parts stand in some order, with points, strokes or
    /// hyphens between them: `23/11/2026`, `23.11.`, `11/23/2026`. Days of a month come first in
    /// what has points.
    static func days(_ text: String, today: String = today()) -> [String] {
        let text = text.prefix { $0 != " " && $0 != "T" }
        guard let mark = text.first(where: { "./-".contains($0) }) else { return [] }
        let parts = text.split(separator: mark).map { part in
            let isNumber =
                part.utf8.count <= 4 && part.utf8.allSatisfy { (48...57).contains($0) }
            return (number: isNumber ? Int(part) : nil, length: part.utf8.count)
        }
        // As in spreadsheets.
        func whole(_ year: Int) -> Int { year + (year < 30 ? 2000 : 1900) }
        guard parts.count == 2 || parts.count == 3, let first = parts[0].number,
            let second = parts[1].number
        else { return [] }
        func day(_ year: Int, _ month: Int, _ day: Int) -> String? {
            // One that there is not is left as it was typed, and refused so.
            guard (1...12).contains(month), (1...length(of: month, in: year)).contains(day),
                year < 10_000
            else { return nil }
            return year < 1000 ? nil : written(year, month, day)
        }
        if parts.count == 3, parts[0].length == 4 {
            return parts[2].number.flatMap { day(first, second, $0) }.map { [$0] } ?? []
        }
        guard parts[0].length < 3, parts[1].length < 3 else { return [] }
        var year = Int(today.prefix(4)) ?? 0
        if parts.count == 3 {
            guard let given = parts[2].number, [2, 4].contains(parts[2].length) else { return [] }
            year = parts[2].length == 2 ? whole(given) : given
        }
        var days = [day(year, second, first), mark == "." ? nil : day(year, first, second)]
        // Of two digits the year may come first.
        if mark == "-", parts.count == 3, parts[2].length == 2, let third = parts[2].number {
            days.append(day(whole(first), second, third))
        }
        return Array(Set(days.compactMap(\.self))).sorted()
    }

    /// `today`, `yesterday` or their first letter, a day of this month, or a day in the one order
    /// that it can have.
    private static func date(_ text: String, _ today: String) -> String? {
        switch text.lowercased() {
        case "t", "today": return today
        case "y", "yesterday": return day(before: today)
        default: break
        }
        let days = days(text, today: today)
        if days.count == 1 { return days[0] }
        guard text.utf8.count <= 2, let day = Int(text), (1...31).contains(day) else { return nil }
        return "\(today.prefix(8))\(day < 10 ? "0" : "")\(day)"
    }

    /// The day before one, by the calendar alone: a moment would be another day in another zone.
    private static func day(before today: String) -> String? {
        let parts = today.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        var (year, month, day) = (parts[0], parts[1], parts[2] - 1)
        if day < 1 {
            (year, month) = month > 1 ? (year, month - 1) : (year - 1, 12)
            day = length(of: month, in: year)
        }
        return written(year, month, day)
    }

    private static func written(_ year: Int, _ month: Int, _ day: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// The days of a month.
    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func today() -> String { String(now().prefix(10)) }

    /// `2026-11-22T15:20` in the time zone of this machine.
    private static func now() -> String {
        TimestampText.text(TimestampText.now()).split(separator: " ").joined(separator: "T")
    }
}

extension EntryField {
    /// Whether all choices are here, and typing need not be looked for elsewhere.
    var listsAll: Bool {
        choicesMore != true && (choicesTotal ?? choices?.count ?? 0) <= choices?.count ?? 0
    }

    /// Whether there is nothing to choose with the other answers as they are.
    var offersNothing: Bool { choices?.isEmpty == true && listsAll }
}
