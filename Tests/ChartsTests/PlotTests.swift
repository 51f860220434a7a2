import Testing

@testable import Charts

/// Charts as values, before they are drawn.
struct PlotTests {
    /// The patients of ten entries, by first name.
    private static let names = [
        "Isabella", "Sara", "Mary", "James", "Jacob", "Jacob", "Ethan", "Tyler", "Aiden", "Sara",
    ]

    @Test func `ten entries by first name have eight slices`() throws {
        let pie = try Pie(Self.names.map { Figure(Label($0), 1) })
        #expect(pie.slices.count == 8)
        #expect(pie.slices.prefix(2).map(\.label.text) == ["Sara", "Jacob"])
        #expect(pie.slices.map(\.value) == [2, 2, 1, 1, 1, 1, 1, 1])
        #expect(pie.slices.map(\.tenths) == [200, 200, 100, 100, 100, 100, 100, 100])
    }

    @Test func `ten entries by virus have nine slices, none of them other`() throws {
        let pie = try Pie(ChartCase.viruses)
        #expect(pie.slices.count == 9)
        #expect(pie.slices[0].label == "Chickenpox" && pie.slices[0].value == 2)
        #expect(pie.slices.allSatisfy { !$0.isRest })
    }

    @Test func `recoveries fall into four ranges`() {
        let histogram = Histogram(of: ChartCase.recoveries)
        #expect(histogram.edges == ["0", "20", "40", "60", "80"])
        #expect(histogram.counts == [1, 4, 2, 3])
    }

    @Test(arguments: [0, 1.7e12, 9e15, -4e14, 1e18])
    func `each of many numbers is counted, however large they are`(base: Double) {
        let numbers = (0...500).map { Double($0) * (base > 1e16 ? 1_024 : 1) + base }
        #expect(Histogram(of: numbers).counts.reduce(0, +) == 501)
        let near = [base.nextDown, base, base.nextUp]
        #expect(Histogram(of: near).counts.reduce(0, +) == 3, "\(near)")
        #expect(Histogram(of: [base + 0.25, base + 0.25]).counts.reduce(0, +) == 2)
    }

    @Test func `equal parts have equal shares, and each is rounded by itself`() {
        var noise = ChartCase.Noise()
        for _ in 0..<2000 {
            let values = (0..<Int(1 + noise.next() * 9)).map { _ in noise.next() * noise.next() }
            let tenths = Pie.tenths(values + values)
            #expect(tenths.prefix(values.count) == tenths.suffix(values.count))
            #expect(abs(tenths.reduce(0, +) - 1000) <= values.count)
        }
        #expect(Pie.tenths([1, 1, 1]) == [333, 333, 333])
        #expect(Pie.tenths([299, 1]) == [997, 3])
        #expect(Pie.tenths([0, 0]) == [0, 0])
        #expect(Pie.tenths([]) == [])
        #expect(Pie.tenths([1e300, 1e300]) == [500, 500])
    }

    @Test func `more than ten slices end in other, and nothing is lost`() throws {
        let pie = try Pie((1...40).map { Figure(Label("v\($0)"), Double($0)) })
        #expect(pie.slices.count == Pie.mostSlices)
        #expect(pie.slices.last?.label.text == "other: 31 more")
        #expect(pie.slices.reduce(0) { $0 + $1.value } == 820)
        #expect(pie.slices.map(\.tenths).reduce(0, +) == 1000)
    }

    @Test func `a slice below zero is refused`() {
        #expect(throws: ChartError.negativeSlice(label: "Koro", value: -2)) {
            try Pie([Figure("Gau", 1), Figure("Koro", -2)])
        }
        #expect(
            ChartError.negativeSlice(label: "Koro", value: -2).description
                == "a pie has no slice below zero, and Koro is −2: take a bar chart")
    }

    @Test func `what cannot be added is left out, not summed`() throws {
        let means = (1...40).map { Figure(Label("v\($0)"), Double($0)) }
        let bars = try Bars(means, isAdditive: false)
        #expect(bars.grid.rows.count == Bars.mostRows)
        #expect(bars.grid.rows.allSatisfy { !$0.isRest })
        #expect(bars.grid.notes == ["10 more categories are not shown"])
        #expect(throws: ChartError.repeated(category: "a", series: "(all)")) {
            try Bars([Figure("a", 1), Figure("a", 2)], isAdditive: false)
        }
    }

    @Test func `sums of all categories and series are kept by other`() throws {
        let figures = (1...50).flatMap { row in
            (1...12).map {
                Figure(Label("row \(row)"), Double($0 * row), series: Label("series \($0)"))
            }
        }
        let bars = try Bars(figures)
        #expect(bars.grid.rows.count == Bars.mostRows && bars.grid.series.count == Bars.mostSeries)
        let sum = bars.grid.rows.reduce(0) { $0 + $1.sum }
        #expect(sum == figures.reduce(0) { $0 + ($1.value ?? 0) })
        #expect(bars.grid.series.last?.text == "other: 5 more")
        #expect(bars.grid.rows.last?.label.text == "other: 21 more")
    }

    @Test func `a large loss is not put among others`() throws {
        let figures = (1...40).map { Figure(Label("v\($0)"), $0 == 7 ? -900 : Double($0)) }
        let rows = try Bars(figures).grid.rows
        #expect(rows.contains { $0.label == "v7" && $0.sum == -900 })
        #expect(rows.reduce(0) { $0 + $1.sum } == -900 + 820 - 7)
    }

    @Test func `a category named like other is not other`() throws {
        let bars = try Bars([
            Figure("other: 3 more", 1), Figure(.missing, 1), Figure("(no answer)", 1),
        ])
        #expect(bars.grid.rows.count == 3)
        #expect(bars.grid.rows.allSatisfy { !$0.isRest })
    }

    @Test func `choices keep the order given, with other last`() throws {
        let bars = try Bars((1...40).map { Figure(Label("v\($0)"), Double($0)) }, order: .given)
        #expect(bars.grid.rows.first?.label == "v12")
        #expect(bars.grid.rows.last?.label.text == "other: 11 more")
    }

    @Test func `parts below zero are not stacked`() throws {
        let figures = [
            Figure("a", 1, series: "x"), Figure("a", -1, series: "y"),
        ]
        #expect(try Bars(figures).arrangement == .grouped)
    }

    @Test func `a million points keep their extremes and their ends`() throws {
        var points = (0..<1_000_000).map { Lines.Point(Double($0), Double($0 % 1000)) }
        points[123_456].y = 5000
        points[777_777].y = -5000
        let lines = Lines([Lines.Series(.only, points)], along: .numbers(unit: ""))
        let kept = lines.series[0].points
        #expect(kept.count <= Lines.mostPoints + 4)
        #expect(kept.first == points.first && kept.last == points.last)
        #expect(kept.contains(points[123_456]) && kept.contains(points[777_777]))
        #expect(lines.notes == ["1,000,000 points are drawn by their extremes"])
    }

    @Test func `days without a value are a gap`() {
        let days = [0.0, 1, 2, 5, 6].map { Lines.Point($0 * 86_400, 1) }
        let lines = Lines(
            [Lines.Series(.only, days)], along: .time(zone: 0), longestGap: 1.5 * 86_400)
        #expect(lines.series[0].runs.map(\.count) == [3, 2])
    }

    @Test func `lines of counts have whole ticks, and days no hours`() {
        let day = Lines.Point(20_000 * 86_400, 3)
        let one = Lines([Lines.Series(.only, [day])], along: .days, fromZero: true)
        #expect(one.y.scale.ticks(atMost: 7).map(\.text) == ["0", "1", "2", "3"])
        #expect(one.x.scale.ticks(atMost: 8).map(\.text) == ["3 Oct", "4 Oct", "5 Oct"])
        let next = Lines.Point(20_001 * 86_400, 1)
        let two = Lines([Lines.Series(.only, [day, next])], along: .days)
        #expect(two.x.scale.ticks(atMost: 8).map(\.text) == ["4 Oct", "5 Oct"])
    }

    @Test func `a long title gives way to the unit`() {
        let title = String(repeating: "How many minutes did it take ", count: 8)
        let chart = Chart(
            Chart.Caption(""), .histogram(Histogram(of: [1, 2, 3], unit: "min", title: title)))
        #expect(chart.svg().contains("…, min<"))
        #expect(chart.terminal(TerminalOptions(columns: 60)).contains("…, min\n"))
    }

    @Test func `points of many series have as many colours as there are, and one for the others`() {
        let points = (0..<40).map { index in
            GeoPoint(
                longitude: Double(index % 10) * 3, latitude: Double(index / 10),
                series: index % 10)
        }
        let map = PointMap(points, series: (0..<10).map { Label("s\($0)") })
        #expect(map.series.count == Bars.mostSeries)
        #expect(map.series.last?.text == "other: 3 more")
        let chart = Chart(Chart.Caption("Points"), .points(map))
        #expect(chart.table.columns == ["series", "latitude", "longitude", "count"])
        #expect(chart.svg().contains("other: 3 more"))
        #expect(chart.terminal(TerminalOptions(isASCII: true)).contains("a s0"))
        let both = PointMap(
            [
                GeoPoint(longitude: 1, latitude: 1, count: 3),
                GeoPoint(longitude: 1, latitude: 1, count: 2, series: 1),
            ], series: ["x", .missing])
        let mixed = Chart(Chart.Caption(""), .points(both))
        #expect(mixed.svg().contains("5 entries: x 3, (no answer) 2"))
        #expect(mixed.terminal(TerminalOptions()).contains("a5+"))
    }

    @Test func `a period shows itself, whatever lies in it`() {
        let lines = Lines(
            [Lines.Series(.only, [Lines.Point(50, 1), Lines.Point(500, 9)])],
            along: .time(zone: 0), in: 0...100)
        #expect(lines.x.scale == .time(0...100, zone: 0))
        #expect(lines.series[0].points.count == 1)
    }

    @Test func `points across the antimeridian lie together`() {
        let map = PointMap([
            GeoPoint(longitude: 179, latitude: -17), GeoPoint(longitude: -179, latitude: -18),
        ])
        #expect(map.longitudes.upperBound - map.longitudes.lowerBound < 3)
        #expect(map.longitudes.contains(180))
        let east = Chart(Chart.Caption(""), .points(map)).table.rows.map { $0[1] }
        #expect(east == [.number(179), .number(-179)])
    }

    @Test func `a million points become few and lose none`() throws {
        guard case .points(let map) = try ChartCase.named("A million sightings").chart.plot else {
            return
        }
        #expect(map.places.count <= PointMap.mostPlaces)
        #expect(map.places.reduce(0) { $0 + $1.count } == 1_000_000)
    }

    @Test func `a bar of scale is as long as it says`() {
        let map = PointMap([
            GeoPoint(longitude: 0, latitude: 60), GeoPoint(longitude: 1, latitude: 60.2),
        ])
        let bar = map.scaleBar(share: 0.25)
        // A degree of longitude at 60.1° is half as long as one of latitude.
        let width = (map.longitudes.upperBound - map.longitudes.lowerBound) * 111.32 * 0.4985
        #expect(bar.text == "10 km")
        #expect(abs(bar.share * width - 10) < 0.01)
    }

    @Test func `bins have round ends, and every number falls into one`() {
        var noise = ChartCase.Noise()
        for _ in 0..<500 {
            let values = (0..<Int(1 + noise.next() * 200)).map { _ in (noise.next() - 0.3) * 1e4 }
            let histogram = Histogram(of: values)
            #expect(histogram.counts.reduce(0, +) == values.count)
            #expect(histogram.bins.count <= Bins.most + 2)
        }
        let dice = Histogram(of: [1, 2, 2, 3, 6])
        #expect(dice.bins.width == 2 || dice.bins.width == 1)
        #expect(Bins(0, 0, n: 0).count == 0)
    }

    @Test(arguments: ChartCase.all)
    func `a table has a cell for each column and no number that is none`(_ each: ChartCase) {
        let table = each.chart.table
        #expect(table.rows.allSatisfy { $0.count == table.columns.count })
        for cell in table.rows.joined() {
            if case .number(let number) = cell { #expect(number.isFinite) }
        }
        #expect(each.chart.summary.count < 20_000)
    }

    @Test func `empty is empty`() throws {
        let chart = Chart(Chart.Caption("none"), .pie(try Pie([])))
        #expect(chart.isEmpty && chart.table.rows.isEmpty)
        #expect(chart.summary == "Pie chart: no values.")
    }

    @Test func `labels are pushed apart no further than they must`() {
        #expect(Spread.positions([10, 50], sizes: [10, 10], in: 0...100) == [10, 50])
        #expect(Spread.positions([50, 50], sizes: [10, 10], in: 0...100) == [45, 55])
        #expect(Spread.positions([0, 0, 99], sizes: [10, 10, 10], in: 0...100) == [5, 15, 95])
        #expect(Spread.positions([5, 5], sizes: [60, 60], in: 0...100) == nil)
        #expect(Spread.positions([], sizes: [], in: 0...1) == [])
    }
}
