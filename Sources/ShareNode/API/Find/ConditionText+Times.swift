import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Days and moments, as people name them.
extension ConditionText {
    var today: Int { LocalTime.day(at: now) }

    /// The moment from which on something is wanted, in milliseconds since 1970: a length of time
    /// before now, or a day or time.
    func since(_ text: String) throws -> Int64 {
        if let length = Self.length(text) { return now - length }
        guard let range = try? range("since", text) else {
            throw Problem(
                .badRequest, "since wants a day or a time, got \"\(text.prefix(80))\"",
                hint: "Give a length of time such as 30s, 10m, 3h or 2d, a day such as 2026-11-22,"
                    + " or one of: \(DayWord.all.joined(separator: ", ")).")
        }
        return range.start
    }

    /// Milliseconds of `500ms`, `30s`, `10m`, `3h` or `2d`; nil for anything else.
    private static func length(_ text: String) -> Int64? {
        let units: [(suffix: String, milliseconds: Int64)] = [
            ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let count = Int32(text.dropLast(unit.suffix.count)), count >= 0
        else { return nil }
        return Int64(count) * unit.milliseconds
    }

    func time(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison, _ text: String
    ) throws -> [Condition] {
        let range = try range(name, text)
        guard let end = range.end else {
            return [.compare(subject, comparison, .integer(range.start))]
        }
        return within(subject, comparison, .integer(range.start), .integer(end))
    }

    /// The milliseconds of a day or a time, as exact as it is: 12:00 lasts until 12:01, as a day
    /// does until the next. `end` is the first that is not meant; nil for a moment to the millisecond.
    private func range(_ name: String, _ text: String) throws -> (start: Int64, end: Int64?) {
        if let exact = RecordTimestamp.milliseconds(text) { return (exact, nil) }
        if let moment = LocalTime.moment(text.split(separator: " ").joined(separator: "T")) {
            // An offset has a colon of its own.
            let clock = text.drop { $0 != "T" && $0 != "t" && $0 != " " }
                .prefix { $0 != "+" && $0 != "-" }
            return (moment, moment + (clock.count { $0 == ":" } > 1 ? 1_000 : 60_000))
        }
        guard let range = DayRange(text, today: today) else {
            throw Problem(
                .badRequest, "\(name) wants a day or a time, got \"\(text.prefix(80))\"",
                hint: DayRange.hint)
        }
        return (
            LocalTime.start(ofDay: range.start), LocalTime.start(ofDay: range.end)
        )
    }

    func day(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison, _ text: String,
        isDate: Bool
    ) throws -> [Condition] {
        guard let range = DayRange(text, today: today) else {
            if !isDate { return [.compare(subject, comparison, .text(text))] }
            throw Problem(
                .wrongType, "\(name) wants a date, got \"\(text.prefix(80))\"",
                hint: DayRange.hint)
        }
        func day(_ number: Int) -> FieldValue {
            .text(CalendarText.text(ofDay: number) ?? "9999-12-31")
        }
        return within(subject, comparison, day(range.start), day(range.end))
    }

    /// A time of a day, which lasts as long as it is exact: `08:30` is that minute.
    func time(
        _ subject: RecordQuery.Subject, _ comparison: Comparison, ofDay text: String
    ) -> [Condition] {
        let parts = text.split(separator: ":").map { Int($0) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1],
            let second = parts.count == 3 ? parts[2] : 0
        else { return [.compare(subject, comparison, .text(text))] }
        func clock(_ seconds: Int) -> FieldValue {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let minutes = two(seconds / 3_600) + ":" + two(seconds / 60 % 60)
            // Texts are in the order of times, and a whole minute has none but itself before it.
            return .text(seconds % 60 == 0 ? minutes : minutes + ":" + two(seconds % 60))
        }
        let start = (hour * 60 + minute) * 60 + second
        return within(
            subject, comparison, clock(start), clock(start + (parts.count == 3 ? 1 : 60)))
    }

    /// How a value stands to days: `end` is the beginning of the first that is not meant.
    private func within(
        _ subject: RecordQuery.Subject, _ comparison: Comparison,
        _ start: FieldValue, _ end: FieldValue
    ) -> [Condition] {
        switch comparison {
        case .equal:
            [.compare(subject, .greaterOrEqual, start), .compare(subject, .less, end)]
        case .less: [.compare(subject, .less, start)]
        case .lessOrEqual: [.compare(subject, .less, end)]
        case .greater: [.compare(subject, .greaterOrEqual, end)]
        case .greaterOrEqual: [.compare(subject, .greaterOrEqual, start)]
        case .unequal:
            [
                .either([
                    .compare(subject, .less, start), .compare(subject, .greaterOrEqual, end),
                    .compare(subject, .equal, .absent),
                ])
            ]
        }
    }
}
