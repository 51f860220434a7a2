internal import ShareCore

extension ValueReader {
    /// What the field wants, with its article.
    var wanted: String {
        switch storage {
        case .text: field.kind.isChoice ? "a choice" : "a text"
        case .integer: field.isPercent ? "a whole number of percent" : "a whole number"
        case .decimal: field.isPercent ? "a number of percent" : "a number"
        case .date: "a date"
        case .time: "a time"
        case .dateTime: "a date and time"
        }
    }

    /// An example of how to write it.
    var example: String {
        switch storage {
        case .text: "Write it as text."
        case .integer: field.isPercent ? "For instance 70%." : "For instance 42."
        case .decimal: field.isPercent ? "For instance 62.5%." : "For instance 36.8."
        case .date: "Write year-month-day, for instance 2026-11-21."
        case .time: "For instance 14:30 or 14:30:05."
        case .dateTime: "For instance 2026-11-21T14:30."
        }
    }

    func wrongNumber(
        _ bytes: UnsafeBufferPointer<UInt8>, _ fault: NumberText.Fault
    ) -> ValueError {
        let typed = String(decoding: bytes, as: UTF8.self)
        if fault == .outOfRange { return wrongType(typed, hint: "The number is too large.") }
        return wrongType(typed, hint: numberHint(typed))
    }

    func wrongMoment(_ bytes: UnsafeBufferPointer<UInt8>) -> ValueError {
        let typed = String(decoding: bytes, as: UTF8.self)
        let text = storage == .dateTime ? String(typed.prefix(10)) : typed
        if storage != .time, CalendarText.looksWritten(text.utf8) {
            return wrongType(typed, hint: "There is no such day. \(example)")
        }
        return wrongType(typed)
    }

    private func numberHint(_ typed: String) -> String {
        if typed.utf8.last == UInt8(ascii: "%"), !field.isPercent {
            return "This field is not in percent; write the number alone."
        }
        if storage == .integer, let whole = wholePart(typed) {
            return "Write \(whole), without decimals."
        }
        if typed.utf8.contains(UInt8(ascii: ",")) {
            if storage == .decimal {
                return "The decimal sign is a point, and thousands are not separated: 1234.5."
            }
            return separatesThousands(typed)
                ? "Write the digits alone, without separators."
                : "A whole number has no decimals, and no separators."
        }
        let lowered = typed.lowercased()
        if ["na", "n/a", "nan", "-", "null", "none", "?"].contains(lowered) {
            return "Where nothing is known leave it empty."
        }
        if ["inf", "+inf", "-inf", "infinity", "-infinity"].contains(lowered) {
            return "Only finite numbers can be stored."
        }
        return example
    }

    /// Whether each comma is followed by three digits, so that none can be a decimal sign: to
    /// leave the comma out of `70,5` would make 705 of it.
    private func separatesThousands(_ typed: String) -> Bool {
        let groups: [Substring] = typed.split(separator: ",", omittingEmptySubsequences: false)
        return groups.dropFirst().allSatisfy { $0.prefix { $0.isNumber }.count == 3 }
    }

    /// The digits before the point of something like `5.0`; nil for anything else.
    private func wholePart(_ typed: String) -> String? {
        let parts = typed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, Int64(parts[0]) != nil, parts[1].utf8.allSatisfy({ $0 == 48 })
        else { return nil }
        return String(parts[0])
    }
}

extension CalendarText {
    /// Whether `text` has the shape of a date, whatever its digits.
    static func looksWritten(_ text: some Collection<UInt8>) -> Bool {
        text.count == 10
            && text.enumerated().allSatisfy { index, byte in
                index == 4 || index == 7
                    ? byte == UInt8(ascii: "-") : (48...57).contains(byte)
            }
    }
}
