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
}
