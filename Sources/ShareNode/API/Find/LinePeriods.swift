import ShareCore
import ShareStore

/// The periods of a line in which nothing was entered: a count has them, with 0.
struct LinePeriods {
    let period: FigureQuery.Period

    /// Groups that all periods of all series together may have; beyond that, of a run of empty
    /// periods the first and the last stand for all, and a line through them is the same.
    private static let most = 40_000

    /// The groups, and between the first and the last period one without records for each that a
    /// series has none in.
    ///
    /// - Parameter groups: their first key is a period, or absent; in the order of time.
    func filled(_ groups: [FigureGroup]) -> [FigureGroup] {
        var series: [[FieldValue]] = []
        var places: [[FieldValue]: Int] = [:]
        var known: [[Int: FigureGroup]] = []
        var others: [FigureGroup] = []
        for group in groups {
            guard let index = index(of: group.keys[0]) else {
                others.append(group)
                continue
            }
            let name = Array(group.keys.dropFirst())
            let place = places[name] ?? series.count
            if place == series.count {
                places[name] = place
                series.append(name)
                known.append([:])
            }
            known[place][index] = group
        }
        let indices = known.flatMap(\.keys)
        guard let first = indices.min(), let last = indices.max() else { return groups }
        let isWhole = (last - first + 1) <= Self.most / max(series.count, 1)
        var filled: [(index: Int, place: Int, group: FigureGroup)] = []
        for (place, name) in series.enumerated() {
            func add(_ index: Int) {
                let keys = [FieldValue.text(text(of: index))] + name
                let empty = FigureGroup(keys: keys, records: 0)
                filled.append((index, place, known[place][index] ?? empty))
            }
            func addEmpty(from start: Int, to end: Int) {
                guard start <= end else { return }
                if isWhole {
                    for index in start...end { add(index) }
                } else {
                    add(start)
                    if end > start { add(end) }
                }
            }
            var next = first
            for index in known[place].keys.sorted() {
                addEmpty(from: next, to: index - 1)
                add(index)
                next = index + 1
            }
            addEmpty(from: next, to: last)
        }
        filled.sort { ($0.index, $0.place) < ($1.index, $1.place) }
        return others + filled.map(\.group)
    }

    /// Periods are numbered one after the other; nil for what is no day.
    private func index(of key: FieldValue) -> Int? {
        guard case .text(let text) = key, let day = CalendarText.day(of: text) else { return nil }
        switch period {
        case .day: return day
        case .week: return (day - CalendarText.weekday(ofDay: day) + 3) / 7
        case .month:
            let parts = text.split(separator: "-").compactMap { Int($0) }
            return parts[0] * 12 + parts[1] - 1
        }
    }

    private func text(of index: Int) -> String {
        switch period {
        case .day: return CalendarText.text(ofDay: index) ?? ""
        case .week: return CalendarText.text(ofDay: index * 7 - 3) ?? ""
        case .month:
            let (year, month) = (index / 12, index % 12 + 1)
            let digits = String(year)
            return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
                + (month < 10 ? "-0" : "-") + "\(month)-01"
        }
    }
}
