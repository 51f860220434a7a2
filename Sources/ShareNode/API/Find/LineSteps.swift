import ShareCore
import ShareStore

/// The steps of a line at which nothing was entered: a count has them, with 0.
struct LineSteps {
    enum Step {
        case period(FigureQuery.Period)
        case wholeNumber
    }

    let step: Step

    /// Groups that all steps of all series together may have; beyond that, of a run of empty
    /// steps the first and the last stand for all, and a line through them is the same.
    private var most: Int {
        if case .wholeNumber = step { 1_000 } else { 40_000 }
    }

    /// The groups, and between the first and the last step one without records for each that a
    /// series has none at.
    ///
    /// - Parameter groups: their first key is a period or a whole number, or absent.
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
        let (length, isTooLong) = last.subtractingReportingOverflow(first)
        let isWhole = !isTooLong && length < most / max(series.count, 1)
        var filled: [(index: Int, place: Int, group: FigureGroup)] = []
        for (place, name) in series.enumerated() {
            func add(_ index: Int) {
                let empty = FigureGroup(keys: [key(of: index)] + name, records: 0)
                filled.append((index, place, known[place][index] ?? empty))
            }
            func addEmpty(from start: Int, to end: Int) {
                if isWhole {
                    for index in start...end { add(index) }
                } else {
                    add(start)
                    if end > start { add(end) }
                }
            }
            var previous: Int?
            for index in known[place].keys.sorted() {
                let next = previous.map { $0 + 1 } ?? first
                if next < index { addEmpty(from: next, to: index - 1) }
                add(index)
                previous = index
            }
            if let previous, previous < last { addEmpty(from: previous + 1, to: last) }
        }
        filled.sort { ($0.index, $0.place) < ($1.index, $1.place) }
        return others + filled.map(\.group)
    }

    /// Steps are numbered one after the other; nil for what is none.
    private func index(of key: FieldValue) -> Int? {
        switch (step, key) {
        case (.wholeNumber, .integer(let number)): Int(number)
        case (.period(let period), .text(let text)): index(of: text, by: period)
        default: nil
        }
    }

    private func index(of text: String, by period: FigureQuery.Period) -> Int? {
        guard let day = CalendarText.day(of: text) else { return nil }
        switch period {
        case .day: return day
        case .week: return (day - CalendarText.weekday(ofDay: day) + 3) / 7
        case .month:
            let parts = text.split(separator: "-").compactMap { Int($0) }
            return parts[0] * 12 + parts[1] - 1
        }
    }

    private func key(of index: Int) -> FieldValue {
        switch step {
        case .wholeNumber: .integer(Int64(index))
        case .period(let period): .text(text(of: index, by: period))
        }
    }

    private func text(of index: Int, by period: FigureQuery.Period) -> String {
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
