import Expressions
import ShareCore
import ShareFormats

/// Values between fields and expressions, as JavaRosa has them.
enum PlainValue {
    /// What an expression sees of a field.
    static func value(_ value: FieldValue, of storage: StorageType?, in zone: any Zone) -> Value {
        switch value {
        case .absent: return .empty
        case .integer(let number): return .number(Double(number))
        case .decimal(let number): return .number(number)
        case .text(let text):
            let bytes = Array(text.utf8)
            switch storage {
            case .date, .dateTime:
                return Moment(parsing: bytes, in: zone).map { .date($0) } ?? .string(bytes)
            default: return .string(bytes)
            }
        }
    }

    /// The boolean or date that was kept as text; nil where it is a text.
    static func value(
        _ value: FieldValue, as computed: EntryTree.Computed, in zone: any Zone
    ) -> Value? {
        guard case .text(let text) = value else { return nil }
        switch computed {
        case .plain: return nil
        case .boolean: return text == "true" || text == "false" ? .boolean(text == "true") : nil
        case .date: return Moment(parsing: Array(text.utf8), in: zone).map { .date($0) }
        }
    }

    /// What a field keeps of an expression's value; absent where it does not fit.
    static func value(_ value: Value, of storage: StorageType?, in zone: any Zone) -> FieldValue {
        if value.isEmpty { return .absent }
        switch storage ?? .text {
        case .integer:
            let number = value.number(in: zone)
            return Int64(exactly: number.rounded(.towardZero)).map { .integer($0) } ?? .absent
        case .decimal:
            let number = value.number(in: zone)
            return number.isFinite ? .decimal(number == 0 ? 0 : number) : .absent
        case .date:
            return calendar(value, in: zone, CalendarText.isDate) { $0.fields(in: zone).date }
        case .dateTime:
            return calendar(value, in: zone, CalendarText.isDateTime) { $0.dateTime(in: zone) }
        case .time:
            if case .number = value { return .absent }
            return calendar(value, in: zone, CalendarText.isTime) { $0.time(in: zone) }
        case .text:
            // A day is one; the time of another moment is not lost.
            if case .date(let moment) = value,
                Moment(parsing: moment.fields(in: zone).date, in: zone) != moment
            {
                return text(moment.dateTime(in: zone))
            }
            // A whole number has no exponent, however large.
            if case .number(let number) = value, let whole = Int64(exactly: number) {
                return .text(String(whole))
            }
        }
        return text(value.text(in: zone))
    }

    /// Whether a field that keeps nothing of a value loses anything by it: a number that could not be
    /// computed is none.
    static func isLost(_ value: Value, in storage: StorageType?) -> Bool {
        guard !value.isEmpty else { return false }
        if case .number(let number) = value, storage == .integer || storage == .decimal {
            return !number.isNaN
        }
        return true
    }

    /// The value that a form writes as a plain default; nil where it does not fit the field.
    static func value(_ text: String, of field: Form.Field) -> FieldValue? {
        switch field.kind.storage ?? .text {
        case .integer: Int64(text).map { .integer($0) }
        case .decimal: Double(text).flatMap { $0.isFinite ? .decimal($0 == 0 ? 0 : $0) : nil }
        case .text: field.kind.isMedia && !MediaName.isName(text) ? nil : .text(text)
        case .date: CalendarText.isDate(Array(text.utf8)) ? .text(text) : nil
        case .time: CalendarText.isTime(Array(text.utf8)) ? .text(text) : nil
        case .dateTime: CalendarText.isDateTime(Array(text.utf8)) ? .text(text) : nil
        }
    }

    /// A text that is a date as it is, or what is made of a moment: that of a number is the day so many
    /// days after 1970-01-01, as in `today() + 3`.
    private static func calendar(
        _ value: Value, in zone: any Zone, _ isWellFormed: ([UInt8]) -> Bool,
        _ made: (Moment) -> [UInt8]
    ) -> FieldValue {
        let moment: Moment?
        switch value {
        case .date(let found): moment = found
        case .number(let days):
            moment =
                days.magnitude <= mostDays
                ? Moment(localDay: Int64(days.rounded(.down)), in: zone) : nil
        default:
            let bytes = value.text(in: zone)
            if isWellFormed(bytes) { return text(bytes) }
            moment = Moment(parsing: bytes, in: zone)
        }
        return moment.map(made).flatMap { isWellFormed($0) ? text($0) : nil } ?? .absent
    }

    /// Up to the year 9999, and back as far.
    private static let mostDays = 2_932_896.0

    private static func text(_ bytes: [UInt8]) -> FieldValue {
        .text(String(decoding: bytes, as: UTF8.self))
    }
}
