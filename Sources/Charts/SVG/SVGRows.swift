extension SVGCanvas {
    /// Bars that lie, one below the other: names of categories are read without turning the head.
    mutating func drawRows(_ bars: Bars) {
        let names = bars.grid.rows.map { FontWidths.width($0.label.text, size: 13) }
        let widest = names.max() ?? 0
        // Names stand above their bars where they would take too much of the width.
        let isAbove = width < 420 || widest > width * 0.36
        let write = bars.writer { FontWidths.width($0, size: 12) <= width * 0.2 }
        let values = bars.grid.rows.flatMap { bars.ends($0, write) }
        let room = (values.map { FontWidths.width($0.text, size: 12) }.max() ?? 0) + 8
        let hasNegative = values.contains { $0.value < 0 }
        if bars.grid.series.count > 1 {
            legend(bars.grid.series.enumerated().map { (Self.colour($1, $0), $1.text) })
        }
        let start = isAbove ? left : left + widest + 10
        var area = PlotArea(
            left: start + (hasNegative ? room : 0), top: y, right: right - room, bottom: y)
        let thick = bars.arrangement == .stacked || bars.grid.series.count == 1 ? 20.0 : 14.0
        let lines = bars.arrangement == .stacked ? 1 : bars.grid.series.count
        let height = thick * Double(lines)
        let labels = labels(bars.axis.scale, area)
        if !isAbove {
            area.bottom += (height + 10) * Double(bars.grid.rows.count) + 4
            grid(labels, from: area.top, to: area.bottom)
        }
        for row in bars.grid.rows {
            if isAbove {
                let fitting = FontWidths.names(size: 13)
                for name in fitting.wrap(row.label.text, to: right - left, most: 2) {
                    text(name, x: left, middle: y + 11, size: 13)
                    y += 17
                }
                y += 4
                // Only beside the bars: lines through names would make them hard to read.
                grid(labels, from: y, to: y + height)
            } else {
                y += 5
                text(
                    row.label.text, x: start - 10, middle: y + height / 2, size: 13, anchor: .end)
            }
            draw(row, bars, area, thick, write)
            y += height + (isAbove ? 8 : 5)
        }
        area.bottom = max(area.bottom, y)
        bottomAxis(labels, area, axis: bars.axis, ticks: false)
    }

    private mutating func grid(_ labels: [AxisLabel], from top: Double, to bottom: Double) {
        for label in labels {
            line(label.x, top, label.x, bottom, kind: label.tick.value == 0 ? "axis" : "grid")
        }
    }

    private mutating func draw(
        _ row: FigureGrid.Row, _ bars: Bars, _ area: PlotArea, _ thick: Double,
        _ write: (Double) -> String
    ) {
        let scale = bars.axis.scale
        let zero = area.x(scale.position(of: 0))
        var from = 0.0
        for (index, cell) in row.cells.enumerated() {
            let top = bars.arrangement == .stacked ? y : y + Double(index) * thick
            guard let value = cell.value else { continue }
            let x = area.x(scale.position(of: from))
            let length = area.x(scale.position(of: from + value)) - x
            bar(
                x: x, y: top, width: length, height: thick - (bars.arrangement == .stacked ? 0 : 1),
                colour: row.isRest && row.cells.count == 1
                    ? Palette.other : Self.colour(bars.grid.series[index], index),
                Mark(title: bars.text(row, index), filter: cell.filter),
                hasEdge: bars.arrangement == .stacked)
            if bars.arrangement == .stacked { from += value }
        }
        for (index, end) in bars.ends(row, write).enumerated() {
            let x = area.x(scale.position(of: end.value))
            text(
                end.text, x: end.value < 0 ? x - 5 : max(x, zero) + 5,
                middle: y + (Double(index) + 0.5) * thick, anchor: end.value < 0 ? .end : .start,
                kind: "quiet")
        }
    }
}
