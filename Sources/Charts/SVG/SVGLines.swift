extension SVGCanvas {
    /// Lines over an axis of time or numbers; several have their names at their right ends, or
    /// above where there is no room.
    mutating func draw(_ lines: Lines) {
        let named = lines.series.enumerated().filter { _, series in
            series.points.contains { $0.y != nil }
        }
        let fitting = FontWidths.names(size: 12)
        let names = named.map { fitting.shorten($1.label.text, to: width * 0.26) }
        let widest = names.map { FontWidths.width($0, size: 12) }.max() ?? 0
        let height = width < 480 ? 220.0 : 280.0
        var isDirect = named.count > 1 && width >= 480 && Double(named.count) * 16 <= height
        // Lines that end before the right border have their names there, too, but then from afar.
        if isDirect { isDirect = named.allSatisfy { Self.end($1, lines.x.scale).share > 0.6 } }
        if named.count > 1, !isDirect {
            legend(named.map { (Self.colour($1.label, $0), $1.label.text) })
        }
        let area = valueAxis(
            lines.y, height: height, right: isDirect ? right - widest - 18 : right - 6)
        let labels = labels(lines.x.scale, area)
        line(area.left, area.bottom, area.right, area.bottom, kind: "axis")
        for (index, series) in named {
            drawLine(series, Self.colour(series.label, index), lines, area)
        }
        if isDirect {
            let ends = zip(named, names).map { entry, name in
                let end = Self.end(entry.element, lines.x.scale)
                return (
                    x: area.x(end.share), y: area.y(lines.y.scale.position(of: end.value)),
                    name: name, colour: Self.colour(entry.element.label, entry.offset)
                )
            }.sorted { $0.y < $1.y }
            let middles = Spread.positions(
                ends.map(\.y), sizes: ends.map { _ in 16 }, in: area.top - 8...area.bottom + 8)
            for (end, middle) in zip(ends, middles ?? ends.map(\.y)) {
                path(
                    [(end.x, end.y), (area.right + 12, middle)], colour: end.colour, width: 0.75)
                text(end.name, x: area.right + 15, middle: middle)
                circle(x: end.x, y: end.y, radius: 4, colour: end.colour)
            }
        }
        bottomAxis(labels, area, axis: lines.x, ticks: true)
    }

    /// The last value of a series, and how far to the right it is.
    private static func end(_ series: Lines.Series, _ x: Scale) -> (share: Double, value: Double) {
        let last = series.points.last { $0.y != nil }
        return (last.map { x.position(of: $0.x) } ?? 0, last?.y ?? 0)
    }

    private mutating func drawLine(
        _ series: Lines.Series, _ colour: Int, _ lines: Lines, _ area: PlotArea
    ) {
        func place(_ point: Lines.Point) -> (x: Double, y: Double) {
            (
                area.x(lines.x.scale.position(of: point.x)),
                area.y(lines.y.scale.position(of: point.y ?? 0))
            )
        }
        let runs = series.runs
        // Each point is a mark as long as a finger or a pointer can tell them apart.
        let hasMarks = series.points.count <= 100
        for run in runs {
            let title = series.label == .only ? "Line of \(run.count) values" : series.label.text
            if run.count > 1 { path(run.map(place), colour: colour, Mark(title: title)) }
            guard hasMarks || run.count == 1 else { continue }
            for point in run {
                let at = place(point)
                circle(
                    x: at.x, y: at.y, radius: 3.5, colour: colour,
                    Mark(title: lines.text(point, of: series), filter: point.filter))
            }
        }
    }
}

extension Lines {
    /// The words of a point for a pointer that rests on it.
    func text(_ point: Point, of series: Series) -> String {
        let name = series.label == .only ? "" : "\(series.label.text), "
        let value = point.y.map { Numeral.value($0, unit: y.unit) } ?? "no value"
        return switch x.scale {
        case .time(_, let zone, _): "\(name)\(Calendar.text(point.x, zone: zone)): \(value)"
        case .linear: "\(name)\(Numeral.value(point.x, unit: x.unit)): \(value)"
        case .band(let names): "\(name)\(names[Int(point.x)]): \(value)"
        }
    }
}
