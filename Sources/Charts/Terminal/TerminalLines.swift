extension Lines {
    /// Bars in a row, too many for a line of text each, as lines.
    init(_ bars: Bars) {
        series = bars.grid.series.enumerated().map { index, label in
            Series(
                label,
                bars.grid.rows.enumerated().map { Point(Double($0), $1.cells[index].value) })
        }
        x = Axis(.band(bars.grid.rows.map(\.label.text)))
        y = bars.axis
    }
}

extension TerminalPage {
    /// Lines, or, where one series is `isFilled`, columns from zero.
    mutating func draw(_ lines: Lines, isFilled: Bool = false) {
        let ticks = lines.y.scale.ticks(atMost: 7)
        // So many rows from tick to tick that each tick is the middle of one.
        let apart = ticks.count > 4 ? 3 : 4
        let rows = max(ticks.count - 1, 3) * apart + 1
        let named = lines.series.enumerated().filter { $1.points.contains { $0.y != nil } }
        caption(lines.y)
        let widest = ticks.map { TerminalWidth.columns(plain($0.text)) }.max() ?? 0
        let canvas = canvas(
            named, lines, columns: columns - widest - 3, rows: rows,
            isFilled: isFilled && named.count == 1)
        let tickRows = Dictionary(
            ticks.map { tick in
                let share = lines.y.scale.position(of: tick.value)
                return (Int(((1 - share) * Double(rows - 1)).rounded()), plain(tick.text))
            }, uniquingKeysWith: { first, _ in first })
        for row in 0..<rows {
            let label = tickRows[row]
            let edge = label == nil ? sign("│", "|") : sign("┤", "+")
            line(
                TerminalWidth.pad(label ?? "", widest, isNumber: true) + " " + edge
                    + text(canvas.row(row)))
        }
        bottomAxis(lines.x.scale, indent: widest + 2, columns: canvas.columns)
        caption(lines.x)
        guard named.count > 1 else { return }
        line("")
        legend(
            named.map { index, series in
                (Self.letter(index), SVGCanvas.colour(series.label, index), series.label.text)
            })
    }

    /// The letter by which a line is told from others.
    static func letter(_ index: Int) -> String {
        ["a", "b", "c", "d", "e", "f", "g", "h"][index % 8]
    }

    private func canvas(
        _ named: [(offset: Int, element: Lines.Series)], _ lines: Lines, columns: Int, rows: Int,
        isFilled: Bool
    ) -> DotCanvas {
        var canvas = DotCanvas(columns: columns, rows: rows, isASCII: options.isASCII)
        func place(_ point: Lines.Point) -> (x: Int, y: Int) {
            let x = lines.x.scale.position(of: point.x) * Double(canvas.width - 1)
            // From the middle of the first row to the middle of the last.
            let scale = options.isASCII ? 1.0 : 4
            let y = (1 - lines.y.scale.position(of: point.y ?? 0)) * Double(rows - 1) * scale
            return (Int(x.rounded()), Int(y.rounded()) + (options.isASCII ? 0 : 1))
        }
        for (index, series) in named {
            let colour = SVGCanvas.colour(series.label, index)
            let ascii: Character = named.count > 1 ? Character(Self.letter(index)) : "*"
            for run in series.runs {
                if isFilled {
                    for point in run {
                        let zero = place(Lines.Point(point.x, 0))
                        canvas.line(from: zero, to: place(point), colour: colour, ascii: "#")
                    }
                    continue
                }
                let places = run.map(place)
                for (start, end) in zip(places, places.dropFirst() + places.suffix(1)) {
                    canvas.line(from: start, to: end, colour: colour, ascii: ascii)
                }
            }
        }
        guard named.count > 1, !options.isASCII else { return canvas }
        // Letters on the lines, every so many columns, each series at columns of its own.
        for (rank, entry) in named.enumerated() {
            var next = rank * 4
            for point in entry.element.points where point.y != nil {
                let at = place(point)
                guard at.x / 2 >= next else { continue }
                canvas.write(
                    Self.letter(entry.offset), column: at.x / 2, row: at.y / 4,
                    colour: SVGCanvas.colour(entry.element.label, entry.offset))
                next = at.x / 2 + max(16, named.count * 4)
            }
        }
        return canvas
    }

    /// The line below a plot with its ticks and, under them, as many labels as have room.
    mutating func bottomAxis(_ scale: Scale, indent: Int, columns: Int) {
        for count in stride(from: max(2, columns / 8), through: 1, by: -1) {
            let ticks = scale.ticks(atMost: count)
            let places = ticks.map {
                Int((scale.position(of: $0.value) * Double(columns - 1)).rounded())
            }
            guard bottomAxis(ticks, places, indent: indent, columns: columns) else { continue }
            return
        }
    }

    /// Draws ticks at the columns given, if their labels keep two blanks between them.
    mutating func bottomAxis(
        _ ticks: [Tick], _ places: [Int], indent: Int, columns: Int
    ) -> Bool {
        var (labels, contexts) = ("", "")
        var (used, usedBelow) = (0, 0)
        for (tick, place) in zip(ticks, places) {
            let text = names.shorten(plain(tick.text), to: 24)
            let width = max(TerminalWidth.columns(text), TerminalWidth.columns(tick.context))
            let start = min(max(indent + place - width / 2, 0), self.columns - width)
            guard start >= (used == 0 ? 0 : used + 2) else { return false }
            labels = TerminalWidth.pad(labels, start) + text
            used = start + width
            guard !tick.context.isEmpty else { continue }
            contexts += String(repeating: " ", count: start - usedBelow) + tick.context
            usedBelow = start + TerminalWidth.columns(tick.context)
        }
        var axis = Array(repeating: Character(sign("─", "-")), count: columns)
        for place in places where axis.indices.contains(place) {
            axis[place] = Character(sign("┬", "+"))
        }
        line(String(repeating: " ", count: indent - 1) + sign("└", "+") + String(axis))
        line(labels)
        if !contexts.isEmpty { line(contexts) }
        return true
    }
}
