import ShareCore

/// The usual shapes of dates and times, checked without a copy; `CalendarText` decides the rest.
enum CalendarShape {
    /// Whether the text is a value of the type.
    static func accepts(_ text: UnsafeBufferPointer<UInt8>, as type: StorageType) -> Bool {
        switch type {
        case .date: isUsualDate(text) || CalendarText.isDate(text)
        case .time: isUsualTime(text) || CalendarText.isTime(text)
        case .dateTime:
            text.count > 11 && text[10] == UInt8(ascii: "T")
                && isUsualDate(UnsafeBufferPointer(rebasing: text[..<10]))
                && isUsualTime(UnsafeBufferPointer(rebasing: text[11...]))
                || CalendarText.isDateTime(text)
        case .text, .integer, .decimal: false
        }
    }

    /// `YYYY-MM-DD` up to the 28th.
    private static func isUsualDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            number(text, 0) != nil, number(text, 2) != nil,
            let month = number(text, 5), let day = number(text, 8)
        else { return false }
        return month >= 1 && month <= 12 && day >= 1 && day <= 28
    }

    /// `hh:mm` or `hh:mm:ss`.
    private static func isUsualTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == 5 || text.count == 8, text[2] == UInt8(ascii: ":"),
            let hour = number(text, 0), hour < 24, let minute = number(text, 3), minute < 60
        else { return false }
        guard text.count == 8 else { return true }
        guard text[5] == UInt8(ascii: ":"), let second = number(text, 6) else { return false }
        return second < 60
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> UInt8? {
        let tens = text[position] &- 48
        let ones = text[position + 1] &- 48
        return tens < 10 && ones < 10 ? tens * 10 + ones : nil
    }
}
