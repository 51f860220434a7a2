/// The rectangle in which a plot has its marks, with the scales along its sides.
struct PlotArea {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    func x(_ share: Double) -> Double { left + (right - left) * share }
    func y(_ share: Double) -> Double { bottom - (bottom - top) * share }
}

/// A label on a horizontal axis, moved inward where it would leave the canvas.
struct AxisLabel {
    let x: Double
    let tick: Tick
    var middle: Double
    var width: Double

    init(_ tick: Tick, x: Double, canvas: Double) {
        self.tick = tick
        self.x = x
        width = max(
            FontWidths.width(tick.text, size: 12), FontWidths.width(tick.context, size: 12))
        middle = min(max(x, width / 2 + 2), canvas - width / 2 - 2)
    }

    /// True where each label keeps a distance from the next.
    static func areApart(_ labels: [AxisLabel]) -> Bool {
        zip(labels, labels.dropFirst()).allSatisfy { one, next in
            one.middle + one.width / 2 + 8 <= next.middle - next.width / 2
        }
    }
}

extension SVGCanvas {
    /// As many ticks of a scale as have room below the plot, their labels apart.
    func labels(_ scale: Scale, _ area: PlotArea) -> [AxisLabel] {
        let most = max(2, min(10, Int((area.right - area.left) / 60)))
        for count in stride(from: most, through: 1, by: -1) {
            let labels = scale.ticks(atMost: count).map {
                AxisLabel($0, x: area.x(scale.position(of: $0.value)), canvas: width)
            }
            if AxisLabel.areApart(labels) { return labels }
        }
        return []
    }

    /// Draws labels below the plot, with the title of the axis; the next part begins below them.
    mutating func bottomAxis(_ labels: [AxisLabel], _ area: PlotArea, axis: Axis?, ticks: Bool) {
        y = area.bottom + 6
        for label in labels {
            if ticks { line(label.x, area.bottom, label.x, area.bottom + 4, kind: "axis") }
            text(label.tick.text, x: label.middle, middle: y + 9, anchor: .middle, kind: "quiet")
            text(
                label.tick.context, x: label.middle, middle: y + 24, anchor: .middle, kind: "quiet")
        }
        y += labels.contains { !$0.tick.context.isEmpty } ? 34 : 20
        guard let axis, axis.hasCaption else { return }
        let text = axis.caption(FontWidths.fitting(size: 12), to: right - left)
        self.text(text, x: right, middle: y + 8, anchor: .end, kind: "quiet")
        y += 18
    }

    /// The ticks of the axis of values, for a plot that is `height` high.
    func valueTicks(_ scale: Scale, height: Double) -> [Tick] {
        scale.ticks(atMost: max(2, min(7, Int(height / 31))))
    }

    /// Draws the title of the axis of values, its grid and its labels, in the room left of the
    /// plot; the area begins below the title.
    mutating func valueAxis(_ axis: Axis, height: Double, right: Double? = nil) -> PlotArea {
        let ticks = valueTicks(axis.scale, height: height)
        let widest = ticks.map { FontWidths.width($0.text, size: 12) }.max() ?? 0
        if axis.hasCaption {
            let title = axis.caption(FontWidths.fitting(size: 12), to: self.right - left)
            text(title, x: left, middle: y + 8, kind: "quiet")
            y += 20
        }
        y += 8
        let area = PlotArea(
            left: left + widest + 8, top: y, right: right ?? self.right, bottom: y + height)
        for tick in ticks {
            let at = area.y(axis.scale.position(of: tick.value))
            line(area.left, at, area.right, at, kind: tick.value == 0 ? "axis" : "grid")
            text(tick.text, x: area.left - 8, middle: at, anchor: .end, kind: "quiet")
        }
        return area
    }
}
