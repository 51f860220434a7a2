import JSON
import ShareCore
import ShareFormats
import ShareStore

/// Days, times and decimals as people type them, as forms write them.
extension FormSchema {
    /// Values with `today`, `yesterday`, `now`, days in the one order that they can have
    /// (`22.11.2026`) and decimals with a comma (`38,5`) written as forms do; what is none of these
    /// stays as it is.
    ///
    /// - Parameter now: milliseconds since 1970.
    func typed(_ values: JSONObject, at now: UInt64) -> JSONObject {
        let now = Int64(clamping: now)
        let today = LocalTime.day(at: now)
        var typed = values
        for (index, member) in values.members.enumerated() {
            guard case .string(let text) = member.value,
                let position = try? parser.position(of: member.key)
            else { continue }
            let word = text.lowercased()
            let read: String?
            switch form.stored[position].storage {
            case .decimal: read = Self.decimal(text)
            case .date: read = Self.day(word, today)
            case .dateTime where word == "now": read = RecordTimestamp.local(now)
            case .time where word == "now": read = String(RecordTimestamp.local(now).suffix(5))
            default: read = nil
            }
            if let read { typed.members[index].value = .string(read) }
        }
        return typed
    }

    /// One comma that no three digits follow separates no thousands.
    private static func decimal(_ text: String) -> String? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, !text.contains("."), let first = parts[1].utf8.first,
            (48...57).contains(first), parts[1].prefix(while: \.isNumber).count != 3
        else { return nil }
        return parts.joined(separator: ".")
    }

    private static func day(_ word: String, _ today: Int) -> String? {
        switch word {
        case "today", "t": return CalendarText.text(ofDay: today)
        case "yesterday", "y": return CalendarText.text(ofDay: today - 1)
        default:
            let days = CSVHabits.days(word)
            return days.count == 1 ? days[0] : nil
        }
    }
}
