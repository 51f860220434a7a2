import Glibc

extension SVGCanvas {
    /// Slices clockwise from the top, the largest first. Names stand beside their slices, or in
    /// a list, where many slices are small or the canvas is narrow.
    mutating func draw(_ pie: Pie) {
        let write = pie.writer { FontWidths.width($0, size: 12) <= width * 0.2 }
        let arcs = Arc.around(pie, write)
        guard !arcs.isEmpty else { return message("all values are 0") }
        let radius = min(max(width * 0.17, 80), 140)
        if width < 480 {
            let radius = min(110, width / 2 - 40)
            drawSlices(arcs, (x: width / 2, y: y + radius + 4), radius)
            y += 2 * radius + 20
            drawList(arcs, from: left)
        } else if let labels = Self.labels(arcs, radius, room: width / 2 - radius - 46) {
            let centre = (x: width / 2, y: y + radius + 24)
            drawSlices(arcs, centre, radius)
            for (arc, middle) in zip(arcs, labels) { drawLabel(arc, centre, radius, middle) }
            y += 2 * radius + 48
        } else {
            let top = y
            drawSlices(arcs, (x: left + radius + 8, y: y + radius + 8), radius)
            drawList(arcs, from: left + 2 * radius + 48)
            y = max(y, top + 2 * radius + 24)
        }
    }

    /// A slice on its way round, in turns from the top.
    private struct Arc {
        let label: String
        let figure: String
        let start: Double
        let end: Double
        let colour: Int
        let mark: Mark

        static func around(_ pie: Pie, _ write: (Double) -> String) -> [Arc] {
            let slices = pie.slices.filter { $0.value > 0 }
            let largest = slices.map(\.value).max() ?? 1
            let sum = slices.reduce(0) { $0 + $1.value / largest }
            var turned = 0.0
            return slices.enumerated().map { index, slice in
                let figure = slice.text(write, isWhole: pie.isWhole)
                let start = turned
                turned += slice.value / largest / sum
                return Arc(
                    label: slice.label.text, figure: figure, start: start, end: turned,
                    colour: SVGCanvas.colour(slice.label, index),
                    mark: Mark(title: "\(slice.label.text): \(figure)", filter: slice.filter))
            }
        }

        /// True for a slice of all, whose label is on the right, not below.
        var isWhole: Bool { end - start > Arc.whole }
        /// What is longer ends, as it is drawn, where it begins.
        static let whole = 0.999
        var middle: Double { isWhole ? 0.25 : start / 2 + end / 2 }
        var isRight: Bool { middle < 0.5 }

        static func point(_ turns: Double, _ radius: Double) -> (x: Double, y: Double) {
            (sin(turns * 2 * .pi) * radius, -cos(turns * 2 * .pi) * radius)
        }
    }

    /// The middles of the labels, below the centre, in the order of the arcs; nil where they have
    /// no room near their slices, or too little for their names.
    private static func labels(_ arcs: [Arc], _ radius: Double, room: Double) -> [Double]? {
        guard arcs.allSatisfy({ FontWidths.width($0.label, size: 13) <= room * 1.3 }) else {
            return nil
        }
        var middles = arcs.map { Arc.point($0.middle, radius + 14).y }
        for isRight in [true, false] {
            let side = arcs.indices.filter { arcs[$0].isRight == isRight }
            // On the left the way round goes up.
            let ordered = isRight ? side : side.reversed()
            let wanted = ordered.map { middles[$0] }
            let reach = radius + 24
            guard
                let spread = Spread.positions(
                    wanted, sizes: ordered.map { _ in 36 }, in: -reach...reach),
                zip(wanted, spread).allSatisfy({ abs($0 - $1) <= 30 })
            else { return nil }
            for (index, middle) in zip(ordered, spread) { middles[index] = middle }
        }
        return middles
    }

    private mutating func drawLabel(
        _ arc: Arc, _ centre: (x: Double, y: Double), _ radius: Double, _ middle: Double
    ) {
        let side = arc.isRight ? 1.0 : -1.0
        let anchor: Anchor = arc.isRight ? .start : .end
        let x = centre.x + side * (radius + 30)
        let limit = arc.isRight ? right - x : x - left
        let edge = Arc.point(arc.middle, radius + 3)
        line(
            centre.x + edge.x, centre.y + edge.y, x - side * 5, centre.y + middle, kind: "leader")
        text(
            FontWidths.names(size: 13).shorten(arc.label, to: limit), x: x,
            middle: centre.y + middle - 8, size: 13, anchor: anchor)
        text(
            FontWidths.fitting(size: 12).shorten(arc.figure, to: limit), x: x,
            middle: centre.y + middle + 8, anchor: anchor, kind: "quiet")
    }

    /// A line for each slice, in the order of the way round: swatch, name, figure.
    private mutating func drawList(_ arcs: [Arc], from left: Double) {
        let figures = arcs.map { FontWidths.width($0.figure, size: 12) }.max() ?? 0
        let names = arcs.map { FontWidths.width($0.label, size: 13) }.max() ?? 0
        // Figures stand near their names, not at the other end of a wide canvas.
        let limit = min(right - left - 42 - figures, max(names, 120))
        let right = left + 42 + limit + figures
        for arc in arcs {
            swatch(x: left, y: y + 4, colour: arc.colour)
            text(arc.figure, x: right, middle: y + 10, anchor: .end, kind: "quiet")
            let lines = FontWidths.names(size: 13).wrap(arc.label, to: limit, most: 2)
            for line in lines {
                text(line, x: left + 18, middle: y + 10, size: 13)
                y += 17
            }
            y += 5
        }
    }

    private mutating func drawSlices(
        _ arcs: [Arc], _ centre: (x: Double, y: Double), _ radius: Double
    ) {
        for arc in arcs {
            sector(
                centre, radius, from: arc.start, to: arc.end, colour: arc.colour, arc.mark)
        }
    }

    /// A part of a circle, from one turn to another, or all of it.
    mutating func sector(
        _ centre: (x: Double, y: Double), _ radius: Double, from start: Double, to end: Double,
        colour: Int, _ mark: Mark
    ) {
        // An arc that ends where it begins would be none.
        guard end - start <= Arc.whole else {
            return circle(x: centre.x, y: centre.y, radius: radius, colour: colour, mark)
        }
        let (from, to) = (Arc.point(start, radius), Arc.point(end, radius))
        let size = Self.number(radius)
        shape(
            "path d=\"M\(Self.number(centre.x)) \(Self.number(centre.y))"
                + "L\(Self.number(centre.x + from.x)) \(Self.number(centre.y + from.y))"
                + "A\(size) \(size) 0 \(end - start > 0.5 ? 1 : 0) 1 "
                + "\(Self.number(centre.x + to.x)) \(Self.number(centre.y + to.y))Z\"",
            colour: colour, mark)
    }
}
