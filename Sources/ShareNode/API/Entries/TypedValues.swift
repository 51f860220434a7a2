import JSON
import ShareCore
import ShareFormats
import ShareStore

/// Days, times and decimals as people type them, as forms write them.
extension FormSchema {
    /// Values with `today`, `yesterday`, `tomorrow`, `now`, days in the one order that they can have
    /// (`22.11.2026`) and numbers with a decimal comma or separated thousands (`38,5`, `1 234`)
    /// written as forms do, in rows of repeats too; what is none of these stays as it is.
    ///
    /// - Parameter now: milliseconds since 1970.
    func typed(_ values: JSONObject, at now: UInt64) -> JSONObject {
        let now = Int64(clamping: now)
        return typed(values, on: LocalTime.day(at: now), now)
    }

    private func typed(_ values: JSONObject, on today: Int, _ now: Int64) -> JSONObject {
        var typed = values
        for (index, member) in values.members.enumerated() {
            if let inner = self.repeat(named: member.key) {
                // All of its rows, or those of an entry that is there that are others now.
                if let rows = member.value.array {
                    typed.members[index].value = repeats[inner].typed(rows, on: today, now)
                } else if var part = member.value.object, let rows = part["change"]?.array {
                    part["change"] = repeats[inner].typed(rows, on: today, now)
                    typed.members[index].value = .object(part)
                }
                continue
            }
            guard case .string(let text) = member.value,
                let position = try? parser.position(of: member.key)
            else { continue }
            if let read = self.typed(text, at: position, on: today, now) {
                typed.members[index].value = .string(read)
            }
        }
        return typed
    }

    private func typed(_ rows: [JSONValue], on today: Int, _ now: Int64) -> JSONValue {
        .array(rows.map { row in row.object.map { .object(typed($0, on: today, now)) } ?? row })
    }

    /// Values of the form's key, the first ones, likewise.
    func typedKey(_ values: [String], at now: UInt64) -> [String] {
        let now = Int64(clamping: now)
        let today = LocalTime.day(at: now)
        let given = zip(keyPlaces, values).map { typed($1, at: $0, on: today, now) ?? $1 }
        return given + values.dropFirst(given.count)
    }

    /// What somebody has typed into the field at a place of `form.stored`; nil where forms write it so.
    private func typed(
        _ text: String, at position: Int, on today: Int, _ now: Int64
    ) -> String? {
        switch form.stored[position].storage {
        case .integer: NumberText.plain(text).flatMap { $0.contains(".") ? nil : $0 }
        case .decimal: NumberText.plain(text)
        case .date: Self.day(text, today)
        case .dateTime where text.lowercased() == "now": RecordTimestamp.local(now)
        case .dateTime: MomentText.dateTime(text) { Self.day($0, today) }
        case .time where text.lowercased() == "now":
            String(RecordTimestamp.local(now).suffix(5))
        default: nil
        }
    }

    private static func day(_ word: String, _ today: Int) -> String? {
        switch word.lowercased() {
        case "today", "t": return CalendarText.text(ofDay: today)
        case "yesterday", "y": return CalendarText.text(ofDay: today - 1)
        case "tomorrow": return CalendarText.text(ofDay: today + 1)
        default:
            let days = MomentText.days(word)
            return days.count == 1 ? days[0] : nil
        }
    }
}
