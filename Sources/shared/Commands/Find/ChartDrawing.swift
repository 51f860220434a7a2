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
        var title = isCount ? field : "\(field), \(answer.agg)"
        if let by = answer.figures?.by.last, isCount ? (answer.figures?.by.count == 2) : true {
            title += " by \(by.label)"
        }
        return Chart.Caption(
            title,
            subtitle: isCount
                ? "\(counted) of \(answer.title)"
                : "\(unit.isEmpty ? field : "\(field) in \(unit)"), \(counted)",
            source: "\(answer.title), room \(answer.room)", time: Text.time(answer.time))
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
        guard answer.figures != nil else { return entries }
        let part = drawn.reduce(0) { $0 + (answer.agg == "count" ? $1.entries : $1.n ?? 0) }
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
                            longitude: $0.longitude, latitude: $0.latitude, count: $0.entries)
                    }))
        case "pie": return .pie(try Pie(figures, unit: valueUnit))
        case "line": return .lines(lines)
        default:
            return .bars(
                try Bars(
                    figures, order: hasPeriod ? .sequence : .descending, isAdditive: isAdditive,
                    unit: valueUnit, title: answer.agg == "count" ? unitOfCounts : answer.agg))
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
            along: hasPeriod ? .time(zone: 0) : .numbers(unit: unit),
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
