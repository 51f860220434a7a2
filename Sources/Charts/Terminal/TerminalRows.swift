/// A line with a name, bars and figures at its end.
private struct BarLine {
    var label: String
    /// The ends of each part of the bar as shares of its room, with series and colour.
    var parts: [(from: Double, to: Double, series: Int, colour: Int)]
    var figures: [String]
}

extension TerminalPage {
    /// The shares of a whole as bars: columns of letters make no round pie that one could read.
    mutating func draw(_ pie: Pie) {
        let largest = pie.slices.map(\.value).max() ?? 0
        let write = pie.writer { $0.count <= columns / 4 }
        draw(
            pie.slices.map { slice in
                BarLine(
                    label: slice.label.text,
                    parts: [(0, largest > 0 ? slice.value / largest : 0, 0, 1)],
                    figures: [write(slice.value), slice.share(isWhole: pie.isWhole)])
            }, zero: 0)
    }

    mutating func draw(_ histogram: Histogram) {
        let edges = histogram.edges
        let most = max(1, histogram.counts.max() ?? 1)
        caption(histogram.x)
        let first = edges.dropLast().map(TerminalWidth.columns).max() ?? 0
        let last = edges.dropFirst().map(TerminalWidth.columns).max() ?? 0
        draw(
            histogram.counts.enumerated().map { index, count in
                BarLine(
                    label: plain(
                        TerminalWidth.pad(edges[index], first, isNumber: true) + " – "
                            + TerminalWidth.pad(edges[index + 1], last, isNumber: true)),
                    parts: [(0, Double(count) / Double(most), 0, 1)],
                    figures: [Numeral.value(Double(count))])
            }, zero: 0)
    }

    mutating func draw(_ bars: Bars) {
        let scale = bars.axis.scale
        let values = bars.grid.rows.flatMap { $0.cells.compactMap(\.value) }
        let ends = bars.arrangement == .stacked ? bars.grid.rows.map(\.sum) : values
        // The whole room goes from the smallest to the largest, not on to a round number.
        let (low, high) = (min(0, ends.min() ?? 0), max(0, ends.max() ?? 0))
        let start = scale.position(of: low)
        let length = max(scale.position(of: high) - start, 1e-12)
        func share(_ value: Double) -> Double { (scale.position(of: value) - start) / length }
        let several = bars.grid.series.count > 1
        let write = bars.writer { $0.count <= columns / 4 }
        if !bars.axis.title.isEmpty { caption(bars.axis) }
        if several, bars.arrangement == .stacked {
            legend(
                bars.grid.series.enumerated().map { index, series in
                    (
                        Self.sign(index, options.isASCII), SVGCanvas.colour(series, index),
                        series.text
                    )
                })
            line("")
        }
        var lines: [BarLine] = []
        for row in bars.grid.rows {
            if several, bars.arrangement == .grouped {
                lines.append(BarLine(label: row.label.text, parts: [], figures: []))
            }
            var line = BarLine(label: row.label.text, parts: [], figures: [])
            var from = 0.0
            for (index, cell) in row.cells.enumerated() {
                let to = from + (cell.value ?? 0)
                let colour = SVGCanvas.colour(bars.grid.series[index], index)
                line.parts.append((share(min(from, to)), share(max(from, to)), index, colour))
                if bars.arrangement == .stacked {
                    from = to
                } else {
                    line.figures = [cell.value.map(write) ?? "no value"]
                    if several { line.label = "  " + bars.grid.series[index].text }
                    lines.append(line)
                    line.parts = []
                }
            }
            if bars.arrangement == .stacked {
                line.figures = [write(row.sum)]
                lines.append(line)
            }
        }
        draw(lines, zero: share(0))
    }

    /// The sign of a series, unlike that of each other one.
    private static func sign(_ series: Int, _ isASCII: Bool) -> String {
        let signs =
            isASCII
            ? ["#", "=", "-", "o", "+", "x", ".", "*"] : ["█", "▒", "▚", "░", "▄", "▓", "▌", "▀"]
        return signs[series % signs.count]
    }

    private mutating func draw(_ lines: [BarLine], zero: Double) {
        let figures = lines.map(\.figures.count).max() ?? 0
        let figureWidths = (0..<figures).map { index in
            lines.map { $0.figures.count > index ? TerminalWidth.columns($0.figures[index]) : 0 }
                .max() ?? 0
        }
        let widest = lines.map { TerminalWidth.columns($0.label) }.max() ?? 0
        // Names stand above their bars where they would take too much of the width.
        let isAbove = widest > columns * 2 / 5
        let labelWidth = isAbove ? 2 : widest
        let room = max(1, columns - labelWidth - 2 - figureWidths.reduce(0) { $0 + $1 + 2 })
        for line in lines {
            let isHeading = line.parts.isEmpty && line.figures.isEmpty
            if isAbove || isHeading {
                for name in names.wrap(line.label, to: Double(columns), most: 2) { self.line(name) }
                if isHeading { continue }
            }
            var text = TerminalWidth.pad(isAbove ? "" : line.label, labelWidth) + "  "
            text += zero > 0 ? signed(line, room, zero) : bar(line, room)
            for (figure, width) in zip(line.figures, figureWidths) {
                text += "  " + TerminalWidth.pad(plain(figure), width, isNumber: true)
            }
            self.line(text)
        }
    }

    /// A bar from the left: of one part to an eighth of a column, of several to whole columns.
    private func bar(_ line: BarLine, _ room: Int) -> String {
        if line.parts.count == 1, let part = line.parts.first, part.series == 0 {
            let eighths = Int((part.to * Double(room) * 8).rounded())
            let some = part.to > 0 ? max(eighths, 1) : 0
            let whole = options.isASCII ? (some + 4) / 8 : some / 8
            var text = String(repeating: sign("█", "#"), count: whole)
            if !options.isASCII, some % 8 > 0 {
                text += ["▏", "▎", "▍", "▌", "▋", "▊", "▉"][some % 8 - 1]
            }
            if options.isASCII, whole == 0, some > 0 { text = "." }
            let used = text.count
            return coloured(text, part.colour) + String(repeating: " ", count: max(0, room - used))
        }
        var text = ""
        var used = 0
        for part in line.parts where part.to > part.from {
            let end = Int((part.to * Double(room)).rounded())
            let signs = String(
                repeating: Self.sign(part.series, options.isASCII), count: max(0, end - used))
            text += coloured(signs, part.colour)
            used = max(used, end)
        }
        return text + String(repeating: " ", count: max(0, room - used))
    }

    /// Bars to both sides of a line at zero.
    private func signed(_ line: BarLine, _ room: Int, _ zero: Double) -> String {
        let inner = room - 1
        let middle = Int((zero * Double(inner)).rounded())
        var (before, after) = ("", "")
        for part in line.parts where part.to > part.from {
            let columns = max(1, Int(((part.to - part.from) * Double(inner)).rounded()))
            let signs = Self.sign(part.series, options.isASCII)
            if part.from < zero - 1e-9 {
                let count = min(columns, middle)
                before = coloured(String(repeating: signs, count: count), part.colour)
                before = String(repeating: " ", count: middle - count) + before
            } else {
                let count = min(columns, inner - middle)
                after = coloured(String(repeating: signs, count: count), part.colour)
                after += String(repeating: " ", count: inner - middle - count)
            }
        }
        if before.isEmpty { before = String(repeating: " ", count: middle) }
        if after.isEmpty { after = String(repeating: " ", count: inner - middle) }
        return before + sign("│", "|") + after
    }
}
