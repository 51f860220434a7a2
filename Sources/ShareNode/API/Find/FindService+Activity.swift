import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Who entered how much, day by day.
extension FindService {
    /// Entries of all forms by collector and day, of the last days.
    func activity(in room: OpenRoom, _ fields: HTTPFields) async throws -> ActivityAnswer {
        let days = try fields["days"].map { text in
            guard let days = Int(text), (1...Self.mostDays).contains(days) else {
                throw Problem(
                    .badRequest, "days is a number from 1 to \(Self.mostDays)",
                    hint: "Leave it out for the last seven days.")
            }
            return days
        }
        let today = LocalTime.day(at: Int64(wall()))
        let shown = days ?? Self.usualDays
        let first = today - shown + 1
        let reader = try await readers.reader(of: room)
        var counts: [String: [Int: Int]] = [:]
        for form in await room.store.forms() where !form.form.isRepeat {
            let figures = try await reader.figures(
                form,
                FigureQuery(
                    where: [
                        .compare(
                            .created, .greaterOrEqual,
                            .integer(LocalTime.start(ofDay: first)))
                    ], by: [.value(.author), .period(.created, .day)]))
            for group in figures.groups {
                guard case .text(let author) = group.keys[0],
                    case .text(let text) = group.keys[1], let day = CalendarText.day(of: text)
                else { continue }
                counts[author, default: [:]][day, default: 0] += group.records
            }
        }
        var members: [ActivityAnswer.Member] = []
        let keys = Array(try await room.store.view().standings.keys)
        for key in Set(keys).union(counts.keys.compactMap { DeviceKey(text: $0) }).sorted() {
            let mine = counts[key.text] ?? [:]
            members.append(
                ActivityAnswer.Member(
                    device: key.text, name: await names.known(key) ?? key.short,
                    counts: (0..<shown).map { mine[first + $0] ?? 0 }))
        }
        return ActivityAnswer(
            days: (0..<shown).compactMap { CalendarText.text(ofDay: first + $0) },
            members: members)
    }

    private static let usualDays = 7
    private static let mostDays = 366
}
