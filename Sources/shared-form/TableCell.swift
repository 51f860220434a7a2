import Glibc
import ShareCore
import ShareFormats
import Spreadsheet

/// The cells of a table of entries as a workbook has them.
enum TableCell {
    /// What a column holds; a moment is a time in UTC that every entry has, and that no import reads:
    /// a workbook has it by the clock here, as lists do, so that days are counted alike.
    enum Kind: String { case text, integer, decimal, date, time, dateTime, moment }

    /// A cell of CSV as its column's type; as text where the workbook would change it.
    static func cell(_ text: String, _ kind: Kind) -> TableWorkbook.Cell {
        guard !text.isEmpty else { return .empty }
        switch kind {
        case .text: return .text(text)
        case .integer:
            // Spreadsheets keep 15 digits.
            guard let number = Int64(text), number.magnitude < 1_000_000_000_000_000 else {
                return .text(text)
            }
            return .number(text)
        case .decimal:
            guard let number = Double(text), number.isFinite else { return .text(text) }
            return .number(text)
        case .date: return date(text[...]).map { .date($0) } ?? .text(text)
        case .time: return time(text[...]).map { .time($0) } ?? .text(text)
        case .dateTime:
            // Midnight alone would come back as a day.
            let parts = text.split(separator: "T")
            guard parts.count == 2, let day = date(parts[0]), let time = time(parts[1]), time > 0
            else { return .text(text) }
            return .dateTime(day + time)
        case .moment:
            guard text.utf8.count == 24, text.hasSuffix("Z"), let day = date(text.prefix(10)),
                let time = time(text.dropFirst(11).prefix(8))
            else { return .text(text) }
            return .dateTime(local(day + time))
        }
    }

    private static let day = 86_400.0
    /// The number of 1970-01-01.
    private static let epoch = 25_569.0

    /// The same moment by the clock of this device, to the second.
    private static func local(_ serial: Double) -> Double {
        let seconds = ((serial - epoch) * day).rounded()
        var moment = time_t(seconds)
        var local = tm()
        guard localtime_r(&moment, &local) != nil else { return serial }
        return (seconds + Double(local.tm_gmtoff)) / day + epoch
    }

    /// Excel holds 1900 for a leap year: its days before March of that year mean others.
    private static func date(_ text: Substring) -> Double? {
        let parts = text.split(separator: "-").map { Int($0) }
        guard CalendarText.isDate(text.utf8), parts.count == 3, let year = parts[0],
            let month = parts[1], let day = parts[2]
        else { return nil }
        // Days since 0000-03-01, in years that begin in March.
        let shifted = month > 2 ? year : year - 1
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + ofYear
        let serial = days - 719_468 + Int(epoch)
        return serial > 60 ? Double(serial) : nil
    }

    /// A time with seconds, and nothing finer: a workbook gives back neither less nor more.
    private static func time(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":")
        guard text.utf8.count == 8, parts.count == 3, let hour = Int(parts[0]),
            let minute = Int(parts[1]), let second = Int(parts[2])
        else { return nil }
        return Double(hour * 3_600 + minute * 60 + second) / day
    }
}
