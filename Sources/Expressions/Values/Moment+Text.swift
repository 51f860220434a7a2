extension Moment {
    /// The moment that `text` spells: `2026-11-22`, or with a time
    /// `2026-11-22T10:30:00.000+01:00`.
    ///
    /// Seconds and offset may be absent; a time without an offset is local. Nil for anything else.
    package init?(parsing text: [UInt8], in zone: any Zone) {
        var date = text[...]
        var time: ArraySlice<UInt8>?
        if let separator = text.firstIndex(of: UInt8(ascii: "T")) {
            date = text[..<separator]
            time = text[(separator + 1)...]
        }
        var fields = DateFields()
        guard fields.parseDate(date) else { return nil }
        guard let time else {
            self.init(fields, in: zone)
            return
        }
        self.init(date: fields, time: time, in: zone)
    }

    /// The time of day that `text` spells, `10:30:00.000+01:00`, on the local day of `today`.
    package init?(parsingTime text: [UInt8], today: Moment, in zone: any Zone) {
        self.init(date: today.fields(in: zone), time: text[...], in: zone)
    }

    /// ISO 8601 as forms store it: `2026-11-22T10:30:00.000+01:00`, with `Z` for no offset.
    package func dateTime(in zone: any Zone) -> [UInt8] {
        fields(in: zone).date + [UInt8]("T") + time(in: zone)
    }

    /// The time of day with its offset: `10:30:00.000+01:00`.
    package func time(in zone: any Zone) -> [UInt8] {
        let fields = fields(in: zone)
        let seconds: [UInt8] = .decimal(fields.second, width: 2)
        var text: [UInt8] = .decimal(fields.hour, width: 2) + [UInt8](":")
        text += .decimal(fields.minute, width: 2) + [UInt8](":") + seconds + [UInt8](".")
        text += .decimal(fields.millisecond, width: 3)
        let minutes = Int(zone.offset(at: self) / 60_000)
        if minutes == 0 { return text + [UInt8]("Z") }
        text += [UInt8](minutes < 0 ? "-" : "+") + .decimal(abs(minutes) / 60, width: 2)
        return text + [UInt8](":") + .decimal(abs(minutes) % 60, width: 2)
    }

    private init?(date: DateFields, time: ArraySlice<UInt8>, in zone: any Zone) {
        var fields = date
        var clock = time
        var offset: Int?
        if clock.last == UInt8(ascii: "Z") {
            clock = clock.dropLast()
            offset = 0
        } else if let sign = clock.lastIndex(where: {
            $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        }) {
            guard let minutes = Moment.offset(clock[(sign + 1)...]) else { return nil }
            offset = clock[sign] == UInt8(ascii: "-") ? -minutes : minutes
            clock = clock[..<sign]
        }
        guard fields.parseTime(clock) else { return nil }
        if let offset {
            self.init(milliseconds: fields.localMilliseconds - Int64(offset) * 60_000)
        } else {
            self.init(fields, in: zone)
        }
    }

    /// The minutes of `05:30` or `05`.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let hours = parts[0].integer, hours <= 23 else { return nil }
        parts.removeFirst()
        guard let part = parts.first else { return hours * 60 }
        guard let minutes = part.integer, minutes <= 59 else { return nil }
        return hours * 60 + minutes
    }
}

extension DateFields {
    fileprivate mutating func parseDate(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let year = parts[0].integer, let month = parts[1].integer,
            let day = parts[2].integer
        else { return false }
        (self.year, self.month, self.day) = (year, month, day)
        return isValid
    }

    /// Hours and minutes, and seconds where they are given, with any number of decimals.
    fileprivate mutating func parseTime(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let hour = parts[0].integer,
            let minute = parts[1].integer
        else { return false }
        (self.hour, self.minute, second, millisecond) = (hour, minute, 0, 0)
        if parts.count == 3 {
            // What follows the number is not looked at, as on phones.
            let pieces = parts[2].prefix { $0.isDigit || $0 == UInt8(ascii: ".") }.split(
                separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
            guard let whole = pieces[0].integer else { return false }
            second = whole
            if pieces.count == 2 {
                let decimals = pieces[1].prefix(3)
                guard pieces[1].allSatisfy({ $0.isDigit }) else { return false }
                let value = decimals.integer ?? 0
                millisecond = value * [100, 100, 10, 1][decimals.count]
            }
        }
        return isValid
    }

    /// Names of months and days are English: a form that is shared must not change with a device.
    ///
    /// - Returns: Nil where `format` has an escape that does not exist, or ends with `%`.
    func formatted(as format: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        var bytes = format[...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                text.append(byte)
                continue
            }
            guard let escape = bytes.popFirst(), let piece = piece(escape) else { return nil }
            text += piece
        }
        return text
    }

    private func piece(_ escape: UInt8) -> [UInt8]? {
        switch escape {
        case UInt8(ascii: "%"): [escape]
        case UInt8(ascii: "Y"): .decimal(year, width: 4)
        case UInt8(ascii: "y"): Array([UInt8].decimal(year, width: 4).dropFirst(2))
        case UInt8(ascii: "m"): .decimal(month, width: 2)
        case UInt8(ascii: "n"): .decimal(month)
        case UInt8(ascii: "b"): name(month - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec")
        case UInt8(ascii: "d"): .decimal(day, width: 2)
        case UInt8(ascii: "e"): .decimal(day)
        case UInt8(ascii: "H"): .decimal(hour, width: 2)
        case UInt8(ascii: "h"): .decimal(hour)
        case UInt8(ascii: "M"): .decimal(minute, width: 2)
        case UInt8(ascii: "S"): .decimal(second, width: 2)
        case UInt8(ascii: "3"): .decimal(millisecond, width: 3)
        case UInt8(ascii: "a"): name(dayOfWeek - 1, of: "MonTueWedThuFriSatSun")
        case UInt8(ascii: "W"): .decimal(week)
        default: nil
        }
    }

    private func name(_ index: Int, of names: StaticString) -> [UInt8] {
        Array([UInt8](names)[(index * 3)..<(index * 3 + 3)])
    }
}

extension UInt8 {
    var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }
}

extension ArraySlice<UInt8> {
    /// The number of at most 6 digits that this is; nil for anything else.
    var integer: Int? {
        guard !isEmpty, count <= 6, allSatisfy({ $0.isDigit }) else { return nil }
        return reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
