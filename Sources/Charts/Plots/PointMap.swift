import Glibc

/// A place on the earth where something was counted.
package struct GeoPoint: Hashable, Sendable {
    /// Degrees, positive in the east.
    package var longitude: Double
    /// Degrees, positive in the north.
    package var latitude: Double
    /// How many entries stand for this place.
    package var count: Int
    /// The name of a single place, one line; may be empty.
    package var label: String
    /// The filter expression of the entries at this place.
    package var filter: String?
    /// Which of the map's series it is of.
    package var series: Int

    /// Makes a point; whether it is on the earth is seen when a map is made.
    package init(
        longitude: Double, latitude: Double, count: Int = 1, label: String = "",
        filter: String? = nil, series: Int = 0
    ) {
        self.series = series
        self.longitude = longitude
        self.latitude = latitude
        self.count = count
        self.label = CleanText.line(label, most: 200)
        self.filter = filter
    }
}

/// Points on a plain map: equirectangular, true to scale at its middle latitude.
package struct PointMap: Hashable, Sendable {
    /// Points beyond these are put together by the cells of a grid with `cellsAcross`².
    package static let mostPlaces = 4096
    private static let cellsAcross = 64
    /// A map shows no less than this, in degrees: about a kilometre.
    private static let leastExtent = 0.01
    static let kilometresInDegree = 111.32

    /// The places; longitudes run on beyond 180 where points lie on both sides of that meridian.
    package let places: [GeoPoint]
    /// How many entries all places stand for.
    package let total: Int
    /// What colours tell apart, "other" last; `Label.only` where nothing does.
    package let series: [Label]
    /// The borders of what is shown, in degrees, with some room around the places.
    package let longitudes: ClosedRange<Double>
    /// The southern and northern border; they may lie beyond the poles.
    package let latitudes: ClosedRange<Double>
    /// Sentences on what is left out.
    package let notes: [String]

    /// Makes a map of points in any order; those that are not on the earth are left out.
    ///
    /// - Parameter series: what points are told apart by; of too many the smallest are one.
    package init(_ points: [GeoPoint], series: [Label] = [.only]) {
        var places = points.filter { point in
            point.longitude.magnitude <= 360 && point.latitude.magnitude <= 90 && point.count > 0
                && series.indices.contains(point.series)
        }
        self.series = Self.limitSeries(&places, series)
        let outside = points.count - places.count
        notes =
            outside > 0
            ? [Numeral.count(outside, "point is", "points are") + " not on the earth"] : []
        let start = Self.start(places)
        for index in places.indices {
            let wrapped = Self.wrapped(places[index].longitude)
            places[index].longitude = wrapped < start ? wrapped + 360 : wrapped
        }
        total = places.reduce(0) { $0.addingReportingOverflow($1.count).partialValue }
        let (east, north) = Self.extents(places)
        (longitudes, latitudes) = (east, north)
        self.places =
            places.count > Self.mostPlaces
            ? Self.binned(places, east, north, series: self.series.count) : places
    }

    /// The series that have places, the largest first; of more than there are colours for, the
    /// smallest become one.
    private static func limitSeries(_ places: inout [GeoPoint], _ series: [Label]) -> [Label] {
        var sizes = series.map { _ in 0.0 }
        for place in places { sizes[place.series] += Double(place.count) }
        let ranked = series.indices.filter { sizes[$0] > 0 }
            .sorted { sizes[$0] == sizes[$1] ? $0 < $1 : sizes[$0] > sizes[$1] }
        let kept = ranked.prefix(
            ranked.count > Bars.mostSeries ? Bars.mostSeries - 1 : ranked.count)
        var rank = series.map { _ in kept.count }
        for (new, old) in kept.enumerated() { rank[old] = new }
        for index in places.indices { places[index].series = rank[places[index].series] }
        return kept.map { series[$0] }
            + (kept.count < ranked.count ? [.others(ranked.count - kept.count)] : [])
    }

    /// Whether colours tell points apart.
    var isDivided: Bool { series != [.only] }

    /// The colour of a series.
    func colour(_ index: Int) -> Int { SVGCanvas.colour(series[index], index) }

    /// The words of a circle: how many entries, and of which series.
    func words(_ cluster: Cluster) -> String {
        let place = cluster.place
        let entries = Numeral.count(place.count, "entry", "entries")
        guard isDivided else { return place.label.isEmpty ? entries : place.label }
        let parts = cluster.shares.map { part in
            cluster.parts.count == 1
                ? series[part.series].text
                : "\(series[part.series].text) \(Numeral.exact(Double(part.count)))"
        }
        return "\(entries): \(parts.joined(separator: ", "))"
    }

    /// The longitude in -180 ..< 180.
    static func wrapped(_ longitude: Double) -> Double {
        let turns = ((longitude + 180) / 360).rounded(.down)
        return longitude - 360 * turns
    }

    /// The western end of the map: -180, unless the points lie closer together across it.
    private static func start(_ points: [GeoPoint]) -> Double {
        var isTaken = [Bool](repeating: false, count: 3600)
        for point in points {
            isTaken[min(Int((wrapped(point.longitude) + 180) * 10), 3599)] = true
        }
        let taken = isTaken.indices.filter { isTaken[$0] }
        guard let first = taken.first, let last = taken.last else { return -180 }
        // Over this gap the map would go from end to end; a wider one inside is better left out.
        var widest = first + 3600 - last
        var start = first
        for (one, next) in zip(taken, taken.dropFirst()) where next - one > widest + 1 {
            widest = next - one
            start = next
        }
        return start == first ? -180 : Double(start) / 10 - 180
    }

    /// The borders around the places, in a form that fits a page: neither a strip nor a tower.
    private static func extents(
        _ places: [GeoPoint]
    ) -> (longitudes: ClosedRange<Double>, latitudes: ClosedRange<Double>) {
        func around(_ values: [Double]) -> (middle: Double, length: Double) {
            let (low, high) = (values.min() ?? 0, values.max() ?? 0)
            return (low / 2 + high / 2, max((high - low) * 1.08, leastExtent))
        }
        var (east, north) = (around(places.map(\.longitude)), around(places.map(\.latitude)))
        let narrowing = narrowing(at: north.middle)
        north.length = max(north.length, east.length * narrowing / 2)
        east.length = max(east.length, north.length * 0.8 / narrowing)
        return (
            east.middle - east.length / 2...east.middle + east.length / 2,
            north.middle - north.length / 2...north.middle + north.length / 2
        )
    }

    private static func binned(
        _ places: [GeoPoint], _ east: ClosedRange<Double>, _ north: ClosedRange<Double>,
        series: Int
    ) -> [GeoPoint] {
        let across = cellsAcross
        let x = Double(across) / (east.upperBound - east.lowerBound)
        let y = Double(across) / (north.upperBound - north.lowerBound)
        var cells = [(longitude: Double, latitude: Double, count: Int)](
            repeating: (0, 0, 0), count: across * across * series)
        for place in places {
            let column = min(Int((place.longitude - east.lowerBound) * x), across - 1)
            let row = min(Int((place.latitude - north.lowerBound) * y), across - 1)
            let index = (row * across + column) * series + place.series
            let (count, overflow) = cells[index].count.addingReportingOverflow(place.count)
            guard !overflow else { continue }
            // The mean moves by the share of what comes to it.
            let share = Double(place.count) / Double(count)
            cells[index].longitude += (place.longitude - cells[index].longitude) * share
            cells[index].latitude += (place.latitude - cells[index].latitude) * share
            cells[index].count = count
        }
        return cells.enumerated().filter { $1.count > 0 }.map {
            GeoPoint(
                longitude: $1.longitude, latitude: $1.latitude, count: $1.count,
                series: $0 % series)
        }
    }

    /// The cosine by which a degree of longitude is shorter than one of latitude; at the poles as
    /// near to them.
    var narrowing: Double {
        Self.narrowing(at: latitudes.lowerBound / 2 + latitudes.upperBound / 2)
    }

    private static func narrowing(at latitude: Double) -> Double {
        max(cos(latitude * .pi / 180), 0.02)
    }

    /// The width of what is shown for a height of 1, both in the same measure.
    var aspect: Double {
        (longitudes.upperBound - longitudes.lowerBound) * narrowing
            / (latitudes.upperBound - latitudes.lowerBound)
    }

    /// A round distance that takes at most `share` of the map's width: its share, and its text.
    func scaleBar(share: Double) -> (share: Double, text: String) {
        let degrees = longitudes.upperBound - longitudes.lowerBound
        let kilometres = degrees * narrowing * Self.kilometresInDegree
        // Of 1, 2, 5 times a power of ten none is more than 2.5 times the one before.
        let length = Scale.step(kilometres * share * 0.4, intervals: 1)
        let text =
            length < 1
            ? Numeral.value(length * 1000, unit: "m") : Numeral.value(length, unit: "km")
        return (length / kilometres, text)
    }

    /// The lines of the graticule as shares of the map, with their texts.
    func meridians(atMost most: Int) -> [(share: Double, text: String)] {
        let scale = Scale.linear(longitudes)
        return scale.ticks(atMost: most).map { tick in
            let wrapped = Self.wrapped(tick.value)
            return (scale.position(of: tick.value), Self.degrees(tick, wrapped, "E", "W"))
        }
    }

    func parallels(atMost most: Int) -> [(share: Double, text: String)] {
        let scale = Scale.linear(latitudes)
        return scale.ticks(atMost: most).filter { $0.value.magnitude <= 90 }
            .map { (scale.position(of: $0.value), Self.degrees($0, $0.value, "N", "S")) }
    }

    private static func degrees(_ tick: Tick, _ value: Double, _ up: String, _ down: String)
        -> String
    {
        let places = tick.text.split(separator: ".").dropFirst().first?.count ?? 0
        let number = Numeral.fixed(value.magnitude, places: places) + "°"
        return value.magnitude < 1e-9 || value == -180 ? number : number + (value > 0 ? up : down)
    }
}

/// Places that are too close to be drawn apart.
struct Cluster {
    /// Their weighted middle; label and filter where there is only one.
    var place: GeoPoint
    /// The middle as it is drawn.
    var x: Double
    var y: Double
    var longitudes: ClosedRange<Double>
    var latitudes: ClosedRange<Double>
    /// Its entries by series.
    private(set) var parts: [Int: Int]

    init(_ place: GeoPoint, x: Double, y: Double) {
        (self.place, self.x, self.y) = (place, x, y)
        parts = [place.series: place.count]
        longitudes = place.longitude...place.longitude
        latitudes = place.latitude...place.latitude
    }

    mutating func merge(_ other: Cluster) {
        let (count, overflow) = place.count.addingReportingOverflow(other.place.count)
        guard !overflow else { return }
        let share = Double(other.place.count) / Double(count)
        place.longitude += (other.place.longitude - place.longitude) * share
        place.latitude += (other.place.latitude - place.latitude) * share
        x += (other.x - x) * share
        y += (other.y - y) * share
        (place.count, place.label, place.filter) = (count, "", nil)
        parts.merge(other.parts, uniquingKeysWith: +)
        longitudes =
            min(
                longitudes.lowerBound, other.longitudes.lowerBound)...max(
                longitudes.upperBound, other.longitudes.upperBound)
        latitudes =
            min(
                latitudes.lowerBound, other.latitudes.lowerBound)...max(
                latitudes.upperBound, other.latitudes.upperBound)
    }

    /// Its series with their entries, the largest first.
    var shares: [(series: Int, count: Int)] {
        parts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .map { ($0.key, $0.value) }
    }

    private struct Cell: Hashable, Comparable {
        let row: Int
        let column: Int

        static func < (one: Cell, other: Cell) -> Bool {
            (one.row, one.column) < (other.row, other.column)
        }
    }

    /// A cluster for each cell of a grid that has places, in the order of the grid.
    static func byCell(
        _ places: some Sequence<(GeoPoint, Double, Double)>, width: Double, height: Double
    ) -> [Cluster] {
        var clusters: [Cell: Cluster] = [:]
        for (place, x, y) in places {
            let cell = Cell(row: Int(y / height), column: Int(x / width))
            let cluster = Cluster(place, x: x, y: y)
            if clusters[cell]?.merge(cluster) == nil { clusters[cell] = cluster }
        }
        return clusters.sorted { $0.key < $1.key }.map(\.value)
    }
}
