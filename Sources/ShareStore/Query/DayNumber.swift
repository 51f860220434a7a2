import Expressions
package import ShareCore

/// Days as people write them, and as numbers counted from 1970-01-01.
extension CalendarText {
    /// The text of a day; nil where it is not of the years 0 to 9999.
    package static func text(ofDay day: Int) -> String? { self.day(Double(day)) }

    /// The number of a day; nil for what is no date.
    package static func day(of text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard isDate(bytes), let moment = Moment(parsing: bytes, in: UTC()) else { return nil }
        return Int(moment.localDay(in: UTC()))
    }

    /// Monday is 0.
    package static func weekday(ofDay day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

    final class UTC: Zone {
        func offset(at moment: Moment) -> Int64 { 0 }
    }
}

extension LocalTime {
    private static let day: Int64 = 86_400_000

    /// The day of this device's time zone, at so many milliseconds since 1970.
    package static func day(at milliseconds: Int64) -> Int {
        let local = milliseconds + offset(at: milliseconds)
        return Int((local - (local % day + day) % day) / day)
    }

    /// The milliseconds since 1970 at which a day begins here.
    package static func start(ofDay number: Int) -> Int64 {
        let local = Int64(number) * day
        let guess = local - offset(at: local)
        return local - offset(at: guess)
    }
}
