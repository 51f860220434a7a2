import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Days and moments, as people name them.
extension ConditionText {
    var today: Int { LocalTime.day(at: now) }

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
            return try within(
                subject, name, comparison, .integer(moment), .integer(moment + length))
        }
        guard let range = DayRange(text, today: today) else {
            throw Problem(
                .badRequest, "\(name) wants a day or a time, got \"\(text.prefix(80))\"",
                hint: DayRange.hint)
        }
        return try within(
            subject, name, comparison, .integer(LocalTime.start(ofDay: range.start)),
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
        return try within(subject, name, comparison, day(range.start), day(range.end))
    }

    /// How a value stands to days: `end` is the beginning of the first that is not meant.
    private func within(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison,
        _ start: FieldValue, _ end: FieldValue
    ) throws -> [Condition] {
        switch comparison {
        case .equal:
            [.compare(subject, .greaterOrEqual, start), .compare(subject, .less, end)]
        case .less: [.compare(subject, .less, start)]
        case .lessOrEqual: [.compare(subject, .less, end)]
        case .greater: [.compare(subject, .greaterOrEqual, end)]
        case .greaterOrEqual: [.compare(subject, .greaterOrEqual, start)]
        case .unequal:
            throw Problem(
                .badRequest, "\(name) cannot be asked for with !=",
                hint: "Write \(name)<DAY or \(name)>DAY.")
        }
    }
}
