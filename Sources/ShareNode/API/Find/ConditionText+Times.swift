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
                .badRequest, "since wants a day or a time, not \"\(text.prefix(80))\"",
                hint: MomentText.days(text).count > 1
                    ? DayRange.hint(for: text)
                    : "Give a length of time such as 30s, 10m, 3h or 2d, a day such as 2026-11-22,"
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
                .badRequest, "\(name) wants a day or a time, not \"\(text.prefix(80))\"",
                hint: DayRange.hint(for: text))
        }
        return (
            LocalTime.start(ofDay: range.start), LocalTime.start(ofDay: range.end)
        )
    }

    func day(
        _ subject: RecordQuery.Subject, _ name: String, _ comparison: Comparison, _ text: String,
        _ type: StorageType
    ) throws -> [Condition] {
        guard type != .time, let range = DayRange(text, today: today) else {
            let wanted =
                switch type {
                case .time: "a time"
                case .dateTime: "a day, or a time on one"
                default: "a date"
                }
            throw Problem(
                .wrongType, "field \(name) wants \(wanted), not \"\(text.prefix(80))\"",
                hint: type == .time
                    ? "For instance 14:30 or 14:30:05."
                    : type == .dateTime
                        ? DayRange.hint(for: text) + " With a time: 2026-11-22T08:30."
                        : DayRange.hint(for: text))
        }
        func day(_ number: Int) -> FieldValue {
            // Behind the last day of all comes no other.
            .text(CalendarText.text(ofDay: number) ?? "9999-12-32")
        }
        return within(subject, comparison, day(range.start), day(range.end))
    }

    /// A time, or a day with one, by the clock of who entered it. It lasts as long as it is exact:
    /// `08:30` is that minute.
    ///
    /// - Returns: nil where it is none.
    func clock(
        _ text: String, _ name: String, _ comparison: Comparison, _ type: StorageType
    ) throws -> (start: FieldValue, end: FieldValue)? {
        let read =
            if type == .time {
                CalendarText.isTime(text.utf8) ? text : MomentText.time(text)
            } else {
                MomentText.dateTime(text) { day in
                    DayRange(day, today: today).flatMap { range in
                        range.end - range.start == 1 ? CalendarText.text(ofDay: range.start) : nil
                    }
                }
            }
        guard let read else { return nil }
        let place = read.utf8.firstIndex(of: UInt8(ascii: "T")) ?? read.startIndex
        let time = read[place...].prefix { !"Z+-".contains($0) }
        guard time.endIndex == read.endIndex else {
            let sign = comparison.rawValue
            throw Problem(
                .badRequest, "\(name) is asked for by the clock as entries have it, without a zone",
                hint: "Write \(name)\(sign)\(read[..<time.endIndex])."
                    + (type == .time
                        ? ""
                        : " The instant: \"decimal-date-time(${\(name)}) \(sign)"
                            + " decimal-date-time('\(read)')\"."))
        }
        // Texts are in the order of times, where a whole minute has none but itself before it.
        var start = read[...]
        if start.contains(".") {
            while start.last == "0" { start.removeLast() }
            if start.last == "." { start.removeLast() }
        }
        if start.hasSuffix(":00"), time.count(where: { $0 == ":" }) == 2 { start.removeLast(3) }
        // This sign comes behind the digits, and behind all that may follow them.
        return (.text(String(start)), .text(read + ";"))
    }

    /// How a value stands to days: `end` is the beginning of the first that is not meant.
    func within(
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
