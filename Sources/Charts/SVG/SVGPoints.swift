import Glibc

extension SVGCanvas {
    /// Dots, and circles with counts where dots would lie on one another, over a graticule.
    mutating func draw(_ map: PointMap) {
        if map.isDivided {
            legend(map.series.enumerated().map { (map.colour($0), $1.text) })
        }
        let parallels = map.parallels(atMost: 5)
        let room = (parallels.map { FontWidths.width($0.text, size: 11) }.max() ?? 0) + 8
        let most = right - left - room - 8
        let height = min(most / map.aspect, 480)
        let area = PlotArea(
            left: left + room, top: y, right: left + room + height * map.aspect, bottom: y + height)
        drawGraticule(map, parallels, area)
        let east = Scale.linear(map.longitudes)
        let north = Scale.linear(map.latitudes)
        let placed = map.places.map {
            ($0, area.x(east.position(of: $0.longitude)), area.y(north.position(of: $0.latitude)))
        }
        // Many are put together by a grid first, as comparing each with each takes its time.
        let cell = placed.count > 300 ? 36.0 : 2
        let clusters = Self.apart(Cluster.byCell(placed, width: cell, height: cell))
        for cluster in clusters.sorted(by: { $0.place.count > $1.place.count }) {
            draw(cluster, map, area)
        }
        drawScaleBar(map, area)
    }

    private mutating func drawGraticule(
        _ map: PointMap, _ parallels: [(share: Double, text: String)], _ area: PlotArea
    ) {
        for parallel in parallels {
            let at = area.y(parallel.share)
            line(area.left, at, area.right, at)
            text(
                parallel.text, x: area.left - 6, middle: at, size: 11, anchor: .end, kind: "quiet")
        }
        for count in stride(from: 6, through: 1, by: -1) {
            let meridians = map.meridians(atMost: count)
            let labels = meridians.map {
                AxisLabel(Tick(value: 0, text: $0.text), x: area.x($0.share), canvas: width)
            }
            guard AxisLabel.areApart(labels) else { continue }
            for label in labels { line(label.x, area.top, label.x, area.bottom) }
            bottomAxis(labels, area, axis: nil, ticks: false)
            break
        }
        line(area.left, area.bottom, area.right, area.bottom, kind: "axis")
        line(area.left, area.top, area.left, area.bottom, kind: "axis")
    }

    private mutating func drawScaleBar(_ map: PointMap, _ area: PlotArea) {
        let bar = map.scaleBar(share: 0.25)
        let end = area.left + (area.right - area.left) * bar.share
        let at = y + 8
        line(area.left, at, end, at, kind: "axis")
        line(area.left, at - 4, area.left, at + 4, kind: "axis")
        line(end, at - 4, end, at + 4, kind: "axis")
        text(bar.text, x: end + 6, middle: at, size: 11, kind: "quiet")
        y += 20
    }

    /// How thick the sectors are around the count of a circle of several series.
    private static let ring = 5.0

    private static func radius(_ cluster: Cluster) -> Double {
        guard cluster.place.count > 1 else { return 4 }
        let text = FontWidths.width(Numeral.compact(Double(cluster.place.count)), size: 11)
        let room = cluster.parts.count > 1 ? text / 2 + 3 + ring : text / 2 + 3
        return min(max(6 + 2.5 * log10(Double(cluster.place.count)), room), 30)
    }

    /// Clusters put together until no two circles overlap.
    private static func apart(_ clusters: [Cluster]) -> [Cluster] {
        var apart: [Cluster] = []
        for cluster in clusters {
            var cluster = cluster
            // What was put together is larger and may meet others: look again.
            while let index = apart.firstIndex(where: { other in
                let distance = radius(cluster) + radius(other) + 1
                return abs(other.x - cluster.x) < distance
                    && hypot(other.x - cluster.x, other.y - cluster.y) < distance
            }) {
                cluster.merge(apart.remove(at: index))
            }
            apart.append(cluster)
        }
        return apart
    }

    private mutating func draw(_ cluster: Cluster, _ map: PointMap, _ area: PlotArea) {
        let place = cluster.place
        let radius = Self.radius(cluster)
        // A circle at the border stays inside.
        let x = min(max(cluster.x, area.left + radius), area.right - radius)
        let y = min(max(cluster.y, area.top + radius), area.bottom - radius)
        guard place.count > 1 else {
            return circle(
                x: x, y: y, radius: radius, colour: map.colour(place.series),
                Mark(title: map.words(cluster), filter: place.filter))
        }
        let box = [
            PointMap.wrapped(cluster.longitudes.lowerBound), cluster.latitudes.lowerBound,
            PointMap.wrapped(cluster.longitudes.upperBound), cluster.latitudes.upperBound,
        ]
        let mark = Mark(
            title: map.words(cluster), filter: place.filter,
            box: place.filter == nil ? box.map(\.description).joined(separator: " ") : nil)
        let count = Numeral.compact(Double(place.count))
        guard cluster.parts.count > 1 else {
            circle(x: x, y: y, radius: radius, colour: map.colour(place.series), mark)
            return text(count, x: x, middle: y, size: 11, anchor: .middle, kind: "inside")
        }
        // Of several series a ring with a sector of each.
        var from = 0.0
        for part in cluster.shares {
            let to = from + Double(part.count) / Double(place.count)
            sector(
                (x, y), radius, from: from, to: to, colour: map.colour(part.series), mark)
            from = to
        }
        hole(x: x, y: y, radius: radius - Self.ring)
        text(count, x: x, middle: y, size: 11, anchor: .middle)
    }
}
