/// Values over time, or over another number, as a line for each series.
package struct Lines: Hashable, Sendable {
    /// A value at a moment, or at a number.
    package struct Point: Hashable, Sendable {
        /// A number, or seconds since 1970.
        package var x: Double
        /// The value; nil is a gap in the line.
        package var y: Double?
        /// The filter expression of the entries behind the point.
        package var filter: String?

        /// Makes a point; one without `y` is a gap.
        package init(_ x: Double, _ y: Double?, filter: String? = nil) {
            self.x = x
            self.y = y
            self.filter = filter
        }
    }

    /// A line, by the name of what it shows.
    package struct Series: Hashable, Sendable {
        /// The name at the end of the line; `Label.only` where there is but one.
        package var label: Label
        /// In the order of `x`.
        package var points: [Point]

        /// Makes a series; its points may come in any order.
        package init(_ label: Label, _ points: [Point]) {
            self.label = label
            self.points = points
        }

        /// The runs of points between the gaps.
        var runs: [[Point]] {
            points.split { $0.y == nil }.map(Array.init)
        }
    }

    /// The meaning of `x`.
    package enum Along: Hashable, Sendable {
        case numbers(unit: String)
        /// Seconds since 1970, shown by clocks that are `zone` seconds ahead of UTC.
        case time(zone: Int)
        /// Seconds since 1970 to the beginnings of days, weeks or months.
        case days
    }

    /// Lines beyond these are left out, and a note says so.
    package static let mostSeries = 8
    /// Points of a series beyond these are thinned out.
    package static let mostPoints = 4096

    /// The lines, with the points that are drawn.
    package let series: [Series]
    /// The period, or the range of numbers, along the bottom.
    package let x: Axis
    /// The axis of values.
    package let y: Axis
    /// Sentences on what is left out or thinned out.
    package private(set) var notes: [String] = []

    /// - Parameters:
    ///   - range: the period shown; points outside it are left out. By default all points are in.
    ///   - longestGap: where two points lie further apart, the line has a gap.
    ///   - fromZero: whether zero is on the axis of values in any case, as for counts.
    package init(
        _ series: [Series], along: Along, in range: ClosedRange<Double>? = nil,
        longestGap: Double? = nil, fromZero: Bool = false, unit: String = "", title: String = ""
    ) {
        var undrawable = 0
        let farthest = if case .numbers = along { 1e300 } else { Calendar.farthest }
        func drawable(_ point: Point) -> Point? {
            guard point.x.magnitude <= farthest else {
                undrawable += 1
                return nil
            }
            guard range?.contains(point.x) ?? true else { return nil }
            guard let y = point.y, y.drawable == nil else { return point }
            undrawable += 1
            return Point(point.x, nil, filter: point.filter)
        }
        var kept = series.prefix(Self.mostSeries).map { one in
            Series(one.label, one.points.compactMap(drawable))
        }
        if series.count > Self.mostSeries {
            let rest = series.count - Self.mostSeries
            notes.append(Numeral.count(rest, "more series is", "more series are") + " not shown")
        }
        if undrawable > 0 {
            notes.append(Numeral.count(undrawable, "value", "values") + " cannot be drawn")
        }
        for index in kept.indices {
            let ascends = zip(kept[index].points, kept[index].points.dropFirst())
                .allSatisfy { $0.x <= $1.x }
            if !ascends { kept[index].points.sort { $0.x < $1.x } }
            let count = kept[index].points.count
            kept[index].points = Self.thinned(kept[index].points)
            if kept[index].points.count < count {
                notes.append(
                    "\(Numeral.exact(Double(count))) points are drawn by their extremes")
            }
            if let longestGap { Self.part(&kept[index].points, longestGap) }
        }
        self.series = kept
        let xs = kept.flatMap { [$0.points.first?.x, $0.points.last?.x].compactMap { $0 } }
        let unitOfX = if case .numbers(let unit) = along { unit } else { "" }
        let areMonths = kept.allSatisfy { line in
            line.points.allSatisfy { point in
                point.y == nil
                    || point.x.magnitude < Calendar.farthest
                        && Calendar.split(Int(point.x)).0.day == 1
            }
        }
        let least = areMonths ? Calendar.month : Calendar.day
        x = Axis(
            Self.scale(xs.min(), xs.max(), along: along, in: range, least: least), unit: unitOfX)
        let values = kept.flatMap { $0.points.compactMap(\.y) }
        y = Axis(
            .around(
                values.min(), values.max(), fromZero: fromZero,
                isWhole: values.allSatisfy { $0 == $0.rounded() }), title: title, unit: unit)
    }

    /// The scale of `x`: exactly the period where one is given, else from the first to the last
    /// point, with some room around a single one.
    ///
    /// - Parameter least: the seconds that marks are apart at least, along days.
    private static func scale(
        _ first: Double?, _ last: Double?, along: Along, in range: ClosedRange<Double>?,
        least: Int
    ) -> Scale {
        var low = range?.lowerBound ?? first ?? 0
        var high = range?.upperBound ?? last ?? 1
        switch along {
        case .numbers:
            (low, high) = (max(low, -1e300), min(max(high, low), 1e300))
            let size = max(low.magnitude, high.magnitude)
            if high - low <= max(size * 1e-9, 1e-290) {
                let margin = size > 1e-290 ? size / 10 : 1
                (low, high) = (low - margin, high + margin)
            }
            return .linear(low...high)
        case .time, .days:
            low = min(max(low, -Calendar.farthest), Calendar.farthest)
            high = min(max(high, low), Calendar.farthest)
            let room = along == .days ? Double(Calendar.day) : 43_200
            if high - low < 1 { (low, high) = (low - room, high + room) }
            if case .time(let zone) = along { return .time(low...high, zone: zone) }
            return .time(low...high, zone: 0, least: least)
        }
    }

    private static func part(_ points: inout [Point], _ longest: Double) {
        var parted: [Point] = []
        for point in points {
            if let last = parted.last, last.y != nil, point.y != nil, point.x - last.x > longest {
                parted.append(Point(last.x + longest / 2, nil))
            }
            parted.append(point)
        }
        points = parted
    }

    /// The first, lowest, highest and last point of each of many equal ranges, so that the line
    /// looks the same; gaps stay where a whole range has no value.
    private static func thinned(_ points: [Point]) -> [Point] {
        guard points.count > mostPoints, let first = points.first, let last = points.last else {
            return points
        }
        let buckets = Double(mostPoints / 4)
        let scale = Scale.linear(first.x...last.x)
        var thinned: [Point] = []
        var index = 0
        while index < points.count {
            let bucket = (scale.position(of: points[index].x) * buckets).rounded(.down)
            var chosen: (first: Int, low: Int, high: Int, last: Int)?
            let start = index
            while index < points.count,
                (scale.position(of: points[index].x) * buckets).rounded(.down) == bucket
            {
                if let y = points[index].y {
                    var now = chosen ?? (index, index, index, index)
                    if y < points[now.low].y ?? y { now.low = index }
                    if y > points[now.high].y ?? y { now.high = index }
                    now.last = index
                    chosen = now
                }
                index += 1
            }
            if let chosen {
                let indices = Set([chosen.first, chosen.low, chosen.high, chosen.last]).sorted()
                thinned += indices.map { points[$0] }
            } else {
                thinned.append(points[start])
            }
        }
        return thinned
    }
}
