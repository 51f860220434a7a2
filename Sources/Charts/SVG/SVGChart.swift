/// The way in which a chart becomes SVG.
package struct SVGOptions: Hashable, Sendable {
    /// The width in pixels, 280 to 2,000; the height follows from what is shown. Text keeps its
    /// size, so a narrow chart is laid out for a phone, not scaled down.
    package var width: Double

    /// Makes options; a width out of range is taken as the nearest in it.
    package init(width: Double = 720) {
        self.width = width.isFinite ? min(max(width.rounded(), 280), 2000) : 720
    }
}

extension Chart {
    /// The chart as an SVG document in UTF-8, without scripts and without styles in attributes.
    ///
    /// Marks have the class `mark` and `data-where` with their filter; groups of points have
    /// `data-box` with west, south, east and north.
    package func svg(_ options: SVGOptions = SVGOptions()) -> String {
        var canvas = SVGCanvas(width: options.width)
        canvas.heading(caption)
        if isEmpty {
            canvas.message(Self.emptyText)
        } else {
            switch plot {
            case .pie(let pie): canvas.draw(pie)
            case .bars(let bars) where bars.order == .sequence: canvas.drawColumns(bars)
            case .bars(let bars): canvas.drawRows(bars)
            case .lines(let lines): canvas.draw(lines)
            case .histogram(let histogram): canvas.draw(histogram)
            case .points(let map): canvas.draw(map)
            }
        }
        canvas.footing(caption, notes)
        let (width, height) = (SVGCanvas.number(canvas.width), SVGCanvas.number(canvas.y))
        let title = caption.title.isEmpty ? kind : caption.title
        let document = """
            <svg xmlns="http://www.w3.org/2000/svg" class="chart" role="graphics-document" \
            aria-roledescription="\(kind)" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" font-family="Arial, 'Liberation Sans', 'Noto Sans', sans-serif">
            <title>\(SVGCanvas.escaped(title))</title>
            <desc>\(SVGCanvas.escaped(summary))</desc>
            \(ChartStyle.patterns)
            <style>\(ChartStyle.css)</style>
            <rect class="surface" width="\(width)" height="\(height)" fill="#fff"/>

            """
        return document + canvas.body + "</svg>\n"
    }
}

extension SVGCanvas {
    /// Title and subtitle, at the top left.
    mutating func heading(_ caption: Chart.Caption) {
        paragraph(caption.title, size: 18, lines: 3, isBold: true)
        paragraph(caption.subtitle, size: 14, lines: 4)
        y += 8
    }

    /// Notes, source and time, below the plot.
    mutating func footing(_ caption: Chart.Caption, _ notes: [String]) {
        y += 8
        for note in notes { paragraph(note, size: 12, lines: 2, kind: "quiet") }
        for line in caption.origin(FontWidths.fitting(size: 12), room: right - left) {
            paragraph(line, size: 12, lines: 2, kind: "quiet")
        }
        y += 8
    }

    /// The words that stand where there is nothing to draw.
    mutating func message(_ text: String) {
        self.text(text, x: width / 2, middle: y + 60, size: 14, anchor: .middle, kind: "quiet")
        y += 120
    }

    /// Text broken into lines, each 1.3 times as high as the letters.
    private mutating func paragraph(
        _ text: String, size: Double, lines: Int, kind: String = "", isBold: Bool = false
    ) {
        guard !text.isEmpty else { return }
        let fitting = FontWidths.fitting(size: size, isBold: isBold)
        for line in fitting.wrap(text, to: right - left, most: lines) {
            self.text(
                line, x: left, middle: y + size * 0.65, size: size, kind: kind, isBold: isBold)
            y += size * 1.3
        }
    }

    /// A swatch and a name for each series, as many in a line as fit.
    mutating func legend(_ names: [(colour: Int, text: String)]) {
        var x = left
        for name in names {
            let text = FontWidths.names(size: 12).shorten(
                name.text, to: min(240, right - left - 18))
            let size = 18 + FontWidths.width(text, size: 12)
            if x > left, x + size > right {
                x = left
                y += 20
            }
            swatch(x: x, y: y + 3, colour: name.colour)
            self.text(text, x: x + 18, middle: y + 9)
            x += size + 16
        }
        y += 26
    }

    /// The colour of a series or slice: a grey for what stands for others, and one for no answer.
    static func colour(_ label: Label, _ index: Int) -> Int {
        if label.isRest { return Palette.other }
        return label.value == nil && label != .only
            ? Palette.noAnswer : Palette.index(ofSeries: index)
    }
}
