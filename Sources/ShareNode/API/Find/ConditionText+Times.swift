import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Days and moments, as people name them.
extension ConditionText {
    var today: Int { LocalTime.day(at: now) }

    /// Milliseconds of `10m`, `3h` or `2d`; nil for anything else.
    static func length(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int32(text.dropLast()),
            count >= 0
        else { return nil }
        return Int64(count) * unit
    }

    func time(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison, _ text: String
    ) throws -> [Condition] {
        if let exact = RecordTimestamp.milliseconds(text) {
            return [.compare(subject, comparison, .integer(exact))]
        }
        // 12:00 lasts until 12:01, as a day does until the next.
        if let moment = LocalTime.moment(text.split(separator: " ").joined(separator: "T")) {
            // An offset has a colon of its own.
            let clock = text.drop { $0 != "T" && $0 != "t" && $0 != " " }
                .prefix { $0 != "+" && $0 != "-" }
            let length: Int64 = clock.count { $0 == ":" } > 1 ? 1_000 : 60_000
            return within(
                subject, comparison, .integer(moment), .integer(moment + length))
        }
        guard let range = DayRange(text, today: today) else {
            throw Problem(
                .badRequest, "\(name) wants a day or a time, got \"\(text.prefix(80))\"",
                hint: DayRange.hint)
        }
        return within(
            subject, comparison, .integer(LocalTime.start(ofDay: range.start)),
            .integer(LocalTime.start(ofDay: range.end)))
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
