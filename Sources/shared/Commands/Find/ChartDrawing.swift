internal import Charts
internal import ShareControl
import Glibc

/// Makes a chart of figures that the daemon has computed.
struct ChartDrawing {
    private let answer: ChartAnswer

    init(_ answer: ChartAnswer) { self.answer = answer }

    /// - Throws: `ChartError` for figures that make no such chart.
    func chart() throws(ChartError) -> Chart {
        Chart(caption, try plot())
    }

    private var unit: String { answer.field.unit ?? "" }
    private var isAdditive: Bool { answer.agg == "count" || answer.agg == "sum" }
    private var valueUnit: String { answer.agg == "count" ? "" : unit }

    private var caption: Chart.Caption {
        let field = answer.field.label
        let isCount = answer.agg == "count"
        return Chart.Caption(
            title,
            subtitle: isCount
                ? "\(counted) of \(answer.title)"
                : "\(unit.isEmpty ? field : "\(field) in \(unit)"), \(counted)",
            source: "\(answer.title), room \(answer.room)", time: Text.time(answer.time))
    }

    /// The field, and what puts its values together: `Fever, mean by week and village`.
    private var title: String {
        let field = answer.field.label
        let by = answer.figures?.by ?? []
        guard answer.agg == "count" else {
            let words = by.map(Self.words)
            return "\(field), \(answer.agg)"
                + (words.isEmpty ? "" : " by " + words.joined(separator: " and "))
        }
        // A count by its own field is called like that.
        guard answer.kind != "points", let first = by.first else {
            return field + (by.first.map { " by \($0.label)" } ?? "")
        }
        let isOwn = first.period == first.label
        let period = first.period.flatMap { $0 == "day" && !isOwn ? nil : $0 }
        let words = (period.map { [$0] } ?? []) + by.dropFirst().map(Self.words)
        return (isOwn ? "Entries" : field)
            + (words.isEmpty ? "" : " by " + words.joined(separator: " and "))
    }

    /// `village`, `week` of when entries were made, `month of Day of the visit`.
    private static func words(_ by: GroupingAnswer) -> String {
        guard let period = by.period, period != by.label, period != "day" else { return by.label }
        return "\(period) of \(by.label)"
    }

    /// The groups that are drawn: a line goes along no entry without a date or number.
    private var drawn: [GroupAnswer] {
        let groups = answer.figures?.groups ?? []
        guard answer.kind == "line" else { return groups }
        return groups.filter { $0.keys.first.map { $0.value != nil } ?? true }
    }

    /// How many answers a chart counts of more answers than entries, as of a question of which
    /// several choices are taken; nil where it counts entries.
    private var answers: Int? {
        guard answer.agg == "count", let figures = answer.figures else { return nil }
        guard figures.groups.reduce(0, { $0 + $1.entries }) > answer.entries else { return nil }
        return drawn.filter { $0.keys.allSatisfy { $0.value != nil } }
            .reduce(0) { $0 + $1.entries }
    }

    /// What counts are counts of.
    private var unitOfCounts: String { answers == nil ? "entries" : "answers" }

    /// `44 entries`, `42 of 44 entries` where two are not in the chart, `137 answers in 95 entries`.
    private var counted: String {
        let entries = Text.count(answer.entries, "entry", "entries")
        if let answers { return "\(Text.count(answers, "answer", "answers")) in \(entries)" }
        let part: Int
        switch answer.kind {
        case "histogram": part = answer.histogram?.n ?? 0
        case "points": part = (answer.points ?? []).reduce(0) { $0 + $1.entries }
        default:
            guard let figures = answer.figures else { return entries }
            part = answer.agg == "count" ? drawn.reduce(0) { $0 + $1.entries } : figures.n ?? 0
        }
        return part < answer.entries ? "\(Text.number(part)) of \(entries)" : entries
    }

    private func plot() throws(ChartError) -> Chart.Plot {
        switch answer.kind {
        case "histogram":
            let found = answer.histogram
            let bins = Bins(
                found?.min ?? 0, found?.max ?? 0, n: found?.n ?? 0,
                isWhole: found?.isWhole ?? false)
            return .histogram(
                Histogram(bins, counts: found?.counts ?? [], unit: unit, title: answer.field.label))
        case "points":
            return .points(
                PointMap(
                    (answer.points ?? []).map {
                        GeoPoint(
                            longitude: $0.longitude, latitude: $0.latitude, count: $0.entries,
                            series: $0.group ?? 0)
                    }, series: answer.figures?.groups.map { label($0.keys.first) } ?? [.only]))
        case "pie": return .pie(try pie)
        case "line": return .lines(lines)
        default:
            return .bars(
                try Bars(
                    figures, order: hasPeriod ? .sequence : .descending, isAdditive: isAdditive,
                    unit: valueUnit, title: answer.agg == "count" ? unitOfCounts : answer.agg))
        }
    }

    /// Of answers the shares are of all of them: what has none is a note, and no slice.
    private var pie: Pie {
        get throws(ChartError) {
            guard answers != nil else { return try Pie(figures, unit: valueUnit) }
            let empty = figures.filter { $0.category == .missing }
                .reduce(0) { $0 + Int($1.value ?? 0) }
            return try Pie(
                figures.filter { $0.category != .missing }, unit: valueUnit,
                notes: empty == 0
                    ? [] : ["\(Text.count(empty, "entry has", "entries have")) no answer"])
        }
    }

    private var hasPeriod: Bool { answer.figures?.by.first?.period != nil }

    /// The number of a group; nil where there is none.
    func value(_ group: GroupAnswer) -> Double? {
        switch answer.agg {
        case "count": Double(group.entries)
        case "sum": group.sum
        case "mean": group.mean
        case "min": group.min
        case "max": group.max
        default: group.median
        }
    }

    private func label(_ key: KeyAnswer?) -> Label {
        guard let key else { return .only }
        guard let value = key.value else {
            return key.label.isEmpty ? .missing : Label(value: nil, text: key.label)
        }
        return Label(value: value, text: key.label)
    }

    private var figures: [Figure] {
        (answer.figures?.groups ?? []).map { group in
            guard let first = group.keys.first else {
                return Figure(Label(answer.field.label), value(group))
            }
            return Figure(
                label(first), value(group),
                series: group.keys.count > 1 ? label(group.keys[1]) : .only)
        }
    }

    /// Along days where there is a period, else along numbers, else one point after the other.
    private var lines: Lines {
        let groups = answer.figures?.groups ?? []
        var series: [Label] = []
        var points: [Label: [Lines.Point]] = [:]
        for (place, group) in groups.enumerated() {
            let name = group.keys.count > 1 ? label(group.keys[1]) : .only
            guard let text = group.keys.first?.value else { continue }
            let x =
                hasPeriod
                ? Self.seconds(ofDay: text)
                : Double(text) ?? Double(place)
            guard let x else { continue }
            if points[name] == nil { series.append(name) }
            // A day without the number says nothing, as one without entries.
            if hasPeriod, !isAdditive, value(group) == nil {
                points[name, default: []] += []
                continue
            }
            points[name, default: []].append(Lines.Point(x, value(group)))
        }
        return Lines(
            series.map { Lines.Series($0, points[$0] ?? []) },
            along: hasPeriod ? .days : .numbers(unit: unit),
            longestGap: hasPeriod && !isAdditive ? Self.longestGap(points.values) : nil,
            fromZero: answer.agg == "count", unit: valueUnit,
            title: answer.agg == "count" ? unitOfCounts : answer.agg)
    }

    /// Three times the usual distance of two points: where they lie further apart nothing was
    /// measured for long.
    private static func longestGap(_ series: some Sequence<[Lines.Point]>) -> Double? {
        let steps = series.flatMap { points in
            zip(points, points.dropFirst()).map { $1.x - $0.x }
        }.sorted()
        // Of an even number the shorter: of January, October and November two lie together.
        return steps.isEmpty ? nil : 3 * steps[(steps.count - 1) / 2]
    }

    /// Seconds since 1970 to the beginning of a day, by UTC; nil for what is no day.
    private static func seconds(ofDay text: String) -> Double? {
        let parts = text.split(separator: "-").compactMap { Int32($0) }
        guard parts.count == 3 else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2])
        return Double(timegm(&moment))
    }
}
