/// A chart as a value: what it shows and the words around it, before anybody draws it.
///
/// `svg(_:)` and `terminal(_:)` draw it, `table` gives its numbers.
package struct Chart: Hashable, Sendable {
    /// The words around the plot.
    package var caption: Caption
    /// The plot, of one of the five kinds.
    package var plot: Plot

    /// Makes a chart of a plot and its words.
    package init(_ caption: Caption, _ plot: Plot) {
        self.caption = caption
        self.plot = plot
    }

    /// The words around a plot; an empty one takes no space.
    package struct Caption: Hashable, Sendable {
        /// The statement or subject of the chart.
        package var title: String
        /// The measure, with its unit, and the number of entries.
        package var subtitle: String
        /// Where the figures come from.
        package var source: String
        /// When the figures were taken, as people read it.
        package var time: String

        /// Source and time in one line where it has room, else in two.
        func origin(_ fitting: Fitting, room: Double) -> [String] {
            let parts = [source.isEmpty ? "" : "Source: \(source)", time].filter { !$0.isEmpty }
            let line = parts.joined(separator: ", ")
            return line.isEmpty ? [] : fitting.measure(line) <= room ? [line] : parts
        }

        /// Makes a caption of cleaned text; long text is cut at 100 to 500 characters.
        package init(
            _ title: String, subtitle: String = "", source: String = "", time: String = ""
        ) {
            self.title = CleanText.line(title, most: 300)
            self.subtitle = CleanText.line(subtitle, most: 500)
            self.source = CleanText.line(source, most: 300)
            self.time = CleanText.line(time, most: 100)
        }
    }

    /// The kinds of charts.
    package enum Plot: Hashable, Sendable {
        case pie(Pie)
        case bars(Bars)
        case lines(Lines)
        case histogram(Histogram)
        case points(PointMap)
    }

    /// Sentences on what the chart leaves out or puts together; to be shown with it.
    package var notes: [String] {
        switch plot {
        case .pie(let pie): pie.notes
        case .bars(let bars): bars.grid.notes
        case .lines(let lines): lines.notes
        case .histogram: []
        case .points(let map): map.notes
        }
    }

    /// True where there is not one number to draw.
    package var isEmpty: Bool {
        switch plot {
        case .pie(let pie): pie.slices.isEmpty
        case .bars(let bars): bars.grid.rows.allSatisfy { $0.cells.allSatisfy { $0.value == nil } }
        case .lines(let lines): lines.series.allSatisfy { $0.points.allSatisfy { $0.y == nil } }
        case .histogram(let histogram): histogram.counts.allSatisfy { $0 == 0 }
        case .points(let map): map.places.isEmpty
        }
    }

    static let emptyText = "no values"

    /// The kind's name, for those who hear the chart.
    var kind: String {
        switch plot {
        case .pie: "Pie chart"
        case .bars: "Bar chart"
        case .lines: "Line chart"
        case .histogram: "Histogram"
        case .points: "Map of points"
        }
    }

    /// The chart in a sentence or two, for those who hear it: kind, extent, first figures.
    package var summary: String {
        if isEmpty { return "\(kind): \(Self.emptyText)." }
        let rows = table.rows
        let most = 12
        let first = rows.prefix(most).map { row in
            row.map(\.text).filter { !$0.isEmpty }.joined(separator: " ")
        }
        let rest = rows.count > most ? "; and \(rows.count - most) more" : ""
        let sentences = [caption.subtitle].filter { !$0.isEmpty } + notes
        let end = sentences.map { " \($0)." }.joined()
        return "\(kind), \(table.columns.joined(separator: ", ")): "
            + first.joined(separator: "; ") + rest + "." + end
    }
}
