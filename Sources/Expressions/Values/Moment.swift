/// The offset of local time, which the caller knows: the engine has no clock and no time zones.
package protocol Zone: AnyObject {
    /// Milliseconds that local time is ahead of UTC at `moment`.
    func offset(at moment: Moment) -> Int64
}

/// A date, or a date with a time, as an instant.
///
/// A date alone is its local midnight.
package struct Moment: Equatable, Sendable {
    /// Since 1970-01-01T00:00:00Z; a value that expressions make is within ±10 million years.
    package let milliseconds: Int64

    /// The instant so many milliseconds after 1970-01-01T00:00:00Z.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    static let day: Int64 = 86_400_000

    /// The instant of a local date and time.
    package init(_ fields: DateFields, in zone: any Zone) {
        let local = fields.localMilliseconds
        let guess = local - zone.offset(at: Moment(milliseconds: local))
        let offset = zone.offset(at: Moment(milliseconds: guess))
        self.init(milliseconds: local - offset)
    }

    /// The local midnight that begins day `day`, counted from 1970-01-01.
    package init(localDay day: Int64, in zone: any Zone) {
        self.init(DateFields(localMilliseconds: day * Moment.day), in: zone)
    }

    /// The local date and time.
    package func fields(in zone: any Zone) -> DateFields {
        DateFields(localMilliseconds: milliseconds + zone.offset(at: self))
    }

    /// Days from 1970-01-01 to the local date.
    package func localDay(in zone: any Zone) -> Int64 {
        (milliseconds + zone.offset(at: self)).floorDivided(by: Moment.day)
    }

    /// Days since 1970-01-01T00:00:00Z, with their fraction.
    var days: Double { Double(milliseconds) / Double(Moment.day) }

    /// The local midnight before this instant.
    func midnight(in zone: any Zone) -> Moment {
        Moment(localDay: localDay(in: zone), in: zone)
    }
}

/// A date and a time of day, of the proleptic Gregorian calendar, in no particular zone.
package struct DateFields: Equatable, Sendable {
    /// The year of the common era; 0 is the one before year 1.
    package var year = 1970
    /// 1 to 12.
    package var month = 1
    /// 1 to 31.
    package var day = 1
    /// 0 to 23.
    package var hour = 0
    /// 0 to 59.
    package var minute = 0
    /// 0 to 59.
    package var second = 0
    /// 0 to 999.
    package var millisecond = 0

    init() {}

    /// Days from 0000-03-01 make every month but the last one of a year regular
    /// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    init(localMilliseconds: Int64) {
        let days = localMilliseconds.floorDivided(by: Moment.day) + 719_468
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
        month = Int(shifted < 10 ? shifted + 3 : shifted - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        let rest = localMilliseconds - (days - 719_468) * Moment.day
        hour = Int(rest / 3_600_000)
        minute = Int(rest / 60_000 % 60)
        second = Int(rest / 1_000 % 60)
        millisecond = Int(rest % 1_000)
    }

    /// Days from 1970-01-01.
    var dayNumber: Int64 {
        let year = Int64(month <= 2 ? self.year - 1 : self.year)
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * Int64(month > 2 ? month - 3 : month + 9) + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Milliseconds from 1970-01-01T00:00 to this date and time, where no zone has an offset.
    var localMilliseconds: Int64 {
        let minutes = Int64(hour) * 60 + Int64(minute)
        return dayNumber * Moment.day + minutes * 60_000 + Int64(second) * 1_000
            + Int64(millisecond)
    }

    /// Monday is 1, Sunday 7.
    var dayOfWeek: Int {
        let day = dayNumber + 3
        return Int(day - day.floorDivided(by: 7) * 7) + 1
    }

    /// The week of ISO 8601: the first one has the year's first Thursday.
    var week: Int {
        var thursday = DateFields(
            localMilliseconds: (dayNumber + 4 - Int64(dayOfWeek)) * Moment.day)
        let number = thursday.dayNumber
        thursday.month = 1
        thursday.day = 1
        return Int(number - thursday.dayNumber) / 7 + 1
    }

    var isValid: Bool {
        (1...12).contains(month) && (1...DateFields.days(ofMonth: month, year: year)).contains(day)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
    }

    static func days(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// `2026-11-22`.
    package var date: [UInt8] {
        .decimal(year) + [UInt8]("-") + .decimal(month, width: 2) + [UInt8]("-")
            + .decimal(day, width: 2)
    }
}

extension Int64 {
    func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
