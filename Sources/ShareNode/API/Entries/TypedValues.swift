import JSON
import ShareCore
import ShareFormats
import ShareStore

/// Days and times as people type them, in full.
extension FormSchema {
    /// Values with `today`, `yesterday`, `now` and days in the one order that they can have
    /// (`22.11.2026`) written as forms do; what is none of these stays as it is.
    ///
    /// - Parameter now: milliseconds since 1970.
    func dated(_ values: JSONObject, at now: UInt64) -> JSONObject {
        let now = Int64(clamping: now)
        let today = LocalTime.day(at: now)
        var dated = values
        for (index, member) in values.members.enumerated() {
            guard case .string(let text) = member.value,
                let position = try? parser.position(of: member.key)
            else { continue }
            let word = text.lowercased()
            let read: String?
            switch form.stored[position].storage {
            case .date: read = Self.day(word, today)
            case .dateTime where word == "now": read = RecordTimestamp.local(now)
            case .time where word == "now": read = String(RecordTimestamp.local(now).suffix(5))
            default: read = nil
            }
            if let read { dated.members[index].value = .string(read) }
        }
        return dated
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
