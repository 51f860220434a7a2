/// The grammar of date and time values (docs/protocol.md, "Values"): a check that every
/// device makes alike, so it reads bytes and knows no locale.
package enum CalendarText {
    /// Each date of an import passes through it: from another module the one below is generic code.
    package static func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = number(text[0..<4]), let month = number(text[5..<7]),
            let day = number(text[8..<10])
        else { return false }
        return (1...12).contains(month) && day >= 1 && day <= length(of: month, in: year)
    }

    package static func isDate(_ text: some Collection<UInt8>) -> Bool {
        Array(text).withUnsafeBufferPointer { isDate($0) }
    }

    package static func isTime(_ text: some Collection<UInt8>) -> Bool {
        var rest = Array(text)[...]
        guard let hour = take(&rest, 2), hour < 24, skip(&rest, ":"),
            let minute = take(&rest, 2), minute < 60
        else { return false }
        if skip(&rest, ":") {
            guard let second = take(&rest, 2), second < 60 else { return false }
            if skip(&rest, ".") {
                let digits = rest.prefix { (48...57).contains($0) }
                guard (1...9).contains(digits.count) else { return false }
                rest = rest.dropFirst(digits.count)
            }
        }
        if rest.isEmpty || rest.elementsEqual([UInt8(ascii: "Z")]) { return true }
        guard skip(&rest, "+") || skip(&rest, "-"), let hours = take(&rest, 2), hours < 24,
            skip(&rest, ":"), let minutes = take(&rest, 2), minutes < 60
        else { return false }
        return rest.isEmpty
    }

    package static func isDateTime(_ text: some Collection<UInt8>) -> Bool {
        let text = Array(text)
        guard text.count > 11, text[10] == UInt8(ascii: "T") else { return false }
        return isDate(text[..<10]) && isTime(text[11...])
    }

    private static func number(_ digits: some Sequence<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (48...57).contains(digit) else { return nil }
            value = value * 10 + Int(digit) - 48
        }
        return value
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        guard rest.count >= count, let value = number(rest.prefix(count)) else { return nil }
        rest = rest.dropFirst(count)
        return value
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // MARK: Days in numbers

    /// The date of a day that is counted from 1970-01-01, in the proleptic Gregorian calendar.
    ///
    /// Years that start in March have the leap day at their end, and 400 of them 146,097 days
    /// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    package static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = floorDivided(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The number of a date's day, counted from 1970-01-01.
    package static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivided(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func floorDivided(_ a: Int64, _ b: Int64) -> Int64 {
        a >= 0 ? a / b : -((b - 1 - a) / b)
    }
}
