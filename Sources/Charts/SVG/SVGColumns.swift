extension SVGCanvas {
    private static let columnHeight = 240.0

    /// Bars that stand side by side, for what follows one another: days, months, steps.
    mutating func drawColumns(_ bars: Bars) {
        if bars.grid.series.count > 1 {
            legend(bars.grid.series.enumerated().map { (Self.colour($1, $0), $1.text) })
        }
        let area = valueAxis(bars.axis, height: Self.columnHeight)
        let step = (area.right - area.left) / Double(bars.grid.rows.count)
        let gap = step > 6 ? min(step * 0.25, 24) : step * 0.1
        let scale = bars.axis.scale
        for (index, row) in bars.grid.rows.enumerated() {
            let isStacked = bars.arrangement == .stacked
            let thick = (step - gap) / Double(isStacked ? 1 : row.cells.count)
            var x = area.left + Double(index) * step + gap / 2
            var from = 0.0
            for (column, cell) in row.cells.enumerated() {
                if let value = cell.value {
                    let bottom = area.y(scale.position(of: from))
                    bar(
                        x: x, y: bottom, width: thick,
                        height: area.y(scale.position(of: from + value)) - bottom,
                        colour: Self.colour(bars.grid.series[column], column),
                        Mark(title: bars.text(row, column), filter: cell.filter),
                        hasEdge: isStacked && step > 6)
                    if isStacked { from += value }
                }
                if !isStacked { x += thick }
            }
        }
        if bars.grid.series.count == 1 {
            let ends = bars.grid.rows.map { ($0.cells[0].value, bars.text($0.cells[0].value)) }
            drawEnds(ends, scale, area, step)
        }
        drawNames(bars.grid.rows.map(\.label.text), area, step)
    }

    /// Columns without gaps over the borders of their ranges.
    mutating func draw(_ histogram: Histogram) {
        let area = valueAxis(histogram.y, height: Self.columnHeight)
        let step = (area.right - area.left) / Double(histogram.bins.count)
        let edges = histogram.edges
        let zero = area.y(0)
        for (index, count) in histogram.counts.enumerated() {
            let top = area.y(histogram.y.scale.position(of: Double(count)))
            bar(
                x: area.left + Double(index) * step, y: zero, width: max(step - 1, step * 0.8),
                height: top - zero, colour: 1,
                Mark(
                    title: "\(edges[index]) to \(edges[index + 1]): "
                        + Numeral.value(Double(count)),
                    filter: histogram.filters[index]))
        }
        let ends = histogram.counts.map { (Double($0), Numeral.value(Double($0))) }
        drawEnds(ends.map { ($0.0, $0.1) }, histogram.y.scale, area, step)
        for every in 1...max(edges.count, 1) {
            let labels = stride(from: 0, to: edges.count, by: every).map { index in
                AxisLabel(
                    Tick(value: histogram.bins.edge(index), text: edges[index]),
                    x: area.left + Double(index) * step, canvas: width)
            }
            if AxisLabel.areApart(labels) {
                return bottomAxis(labels, area, axis: histogram.x, ticks: true)
            }
        }
    }

    /// The numbers above the columns, where all of them have room beside one another.
    private mutating func drawEnds(
        _ ends: [(value: Double?, text: String)], _ scale: Scale, _ area: PlotArea, _ step: Double
    ) {
        guard ends.allSatisfy({ FontWidths.width($0.text, size: 11) + 4 <= step }) else { return }
        for (index, end) in ends.enumerated() where end.value != 0 {
            let at = area.y(scale.position(of: end.value ?? 0))
            text(
                end.text, x: area.left + (Double(index) + 0.5) * step,
                middle: (end.value ?? 0) < 0 ? at + 9 : at - 8, size: 11, anchor: .middle,
                kind: "quiet")
        }
    }

    /// The names below the columns: in one line, else in two or three, else at an angle, else only
    /// every second, third …
    private mutating func drawNames(_ names: [String], _ area: PlotArea, _ step: Double) {
        let fitting = FontWidths.names(size: 12)
        let middles = names.indices.map { area.left + (Double($0) + 0.5) * step }
        let wrapped = names.map { fitting.wrap($0, to: step - 8, most: 3) }
        let isWhole = zip(names, wrapped).allSatisfy { name, lines in
            lines.joined(separator: " ") == name
        }
        y = area.bottom + 6
        if isWhole {
            for (lines, x) in zip(wrapped, middles) {
                for (index, line) in lines.enumerated() {
                    text(
                        line, x: x, middle: y + 9 + Double(index) * 15, anchor: .middle,
                        kind: "quiet")
                }
            }
            y += 8 + 15 * Double(wrapped.map(\.count).max() ?? 1)
        } else if step >= 22 {
            var deepest = 0.0
            for (name, x) in zip(names, middles) {
                // At 45°, as long as a line may be that neither leaves the canvas nor takes over.
                let name = fitting.shorten(name, to: min(130, (x - 4) * 1.41))
                text(name, x: x, middle: y + 6, anchor: .end, kind: "quiet", angle: -45)
                deepest = max(deepest, FontWidths.width(name, size: 12) * 0.71)
            }
            y += deepest + 16
        } else {
            drawThinned(names, area, step)
        }
    }

    private mutating func drawThinned(_ names: [String], _ area: PlotArea, _ step: Double) {
        for every in 1...max(names.count, 1) {
            let labels = stride(from: 0, to: names.count, by: every).map { index in
                let name = FontWidths.fitting(size: 12).shorten(names[index], to: 160)
                return AxisLabel(
                    Tick(value: Double(index), text: name),
                    x: area.left + (Double(index) + 0.5) * step, canvas: width)
            }
            if AxisLabel.areApart(labels) {
                return bottomAxis(labels, area, axis: nil, ticks: true)
            }
        }
    }
}
