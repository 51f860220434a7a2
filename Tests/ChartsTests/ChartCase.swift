import Testing

@testable import Charts

/// A chart of awkward data, by name.
struct ChartCase: Sendable, CustomTestStringConvertible {
    let name: String
    let chart: Chart

    var testDescription: String { name }

    init(_ name: String, subtitle: String = "", _ plot: Chart.Plot) {
        self.name = name
        chart = Chart(
            Chart.Caption(
                name, subtitle: subtitle, source: "room clinic, 4 devices",
                time: "2026-11-22 10:04"), plot)
    }

    static let all: [ChartCase] = pies + rows + columns + lines + histograms + maps

    static func named(_ name: String) throws -> ChartCase {
        try #require(all.first { $0.name == name })
    }

    private static func pie(_ figures: [Figure], unit: String = "") -> Chart.Plot {
        guard let pie = try? Pie(figures, unit: unit) else { fatalError("no pie") }
        return .pie(pie)
    }

    private static func bars(
        _ figures: [Figure], order: FigureGrid.Order = .descending, isAdditive: Bool = true,
        arrangement: Bars.Arrangement = .stacked, unit: String = "", title: String = ""
    ) -> Chart.Plot {
        guard
            let bars = try? Bars(
                figures, order: order, isAdditive: isAdditive, arrangement: arrangement,
                unit: unit, title: title)
        else { fatalError("no bars") }
        return .bars(bars)
    }

    static let viruses: [Figure] = [
        "Chickenpox", "Hepatitis A", "Hepatitis B", "Hepatitis C", "Influenza", "Measles",
        "Shingles", "West Nile River", "Yellow Fever",
    ].map { Figure(Label($0), $0 == "Chickenpox" ? 2 : 1, filter: "Virus_Name = '\($0)'") }

    static let recoveries: [Double] = [70, 45, 35, 60, 50, 20, 30, 25, 10, 75]

    private static let sentence =
        "Households that draw their water from an unprotected spring more than thirty minutes away"

    private static let pies: [ChartCase] = [
        ChartCase("Entries by virus", subtitle: "n 10, 9 viruses", pie(viruses)),
        ChartCase("One slice", pie([Figure("Measles", 7)])),
        ChartCase("Pie of nothing", pie([])),
        ChartCase("Pie of zeros", pie([Figure("a", 0), Figure("b", 0)])),
        ChartCase(
            "One large, nine tiny",
            pie([Figure("Well", 1e6)] + (1...9).map { Figure(Label("Spring \($0)"), Double($0)) })),
        ChartCase(
            "Pie of 40 categories",
            pie((1...40).map { Figure(Label("Village \($0)"), Double(100 - $0)) })),
        ChartCase(
            "Pie of thirds", pie([Figure("a", 1), Figure("b", 1), Figure("c", 1)], unit: "kg")),
        ChartCase(
            "Pie with long labels",
            pie((1...10).map { Figure(Label("\(sentence) \($0)"), Double($0)) })),
        ChartCase(
            "Wide slices",
            pie(
                [Figure("Households", 123_456_789_012_345), Figure("b", 98_765_432_109_876)],
                unit: "millilitres a day")),
        ChartCase(
            "Pie with missing answers",
            pie([Figure("yes", 5), Figure(.missing, 3), Figure("no", nil), Figure("never", 0)])),
    ]

    private static let rows: [ChartCase] = [
        ChartCase("Bars of viruses", bars(viruses, title: "entries")),
        ChartCase(
            "Bars of 40 categories",
            bars((1...40).map { Figure(Label("Village number \($0)"), Double(41 - $0)) })),
        ChartCase("One bar", bars([Figure("only", 3)])),
        ChartCase("Bars of nothing", bars([])),
        ChartCase("Bars of zeros", bars([Figure("a", 0), Figure("b", 0)])),
        ChartCase(
            "Long labels",
            bars((1...6).map { Figure(Label("\(sentence) (\($0))"), Double($0 * 13)) })),
        ChartCase(
            "Right to left",
            bars([
                Figure("مرحبا بالعالم", 12), Figure("בית חולים", 7), Figure("Koro مستشفى 3", 4),
                Figure("plain", 2),
            ])),
        ChartCase(
            "Wide and combining",
            bars([
                Figure("東京都の病院", 5), Figure("e\u{301}tude", 4), Figure("👩‍👩‍👧‍👦 family", 3),
                Figure("ไทยเขต", 2), Figure("हिन्दी ज़िला", 2), Figure("🇫🇯 Fiji", 1),
            ])),
        ChartCase(
            "Negatives",
            bars(
                [("Koro", -3.5), ("Gau", 2.25), ("Rabi", -12), ("Kia", 8)].map {
                    Figure(Label($0.0), $0.1)
                }, isAdditive: false, unit: "°C", title: "change since last year")),
        ChartCase("All negative", bars([Figure("a", -5), Figure("b", -7)])),
        ChartCase(
            "Huge and tiny",
            bars(
                [("huge", 1.7e299), ("large", 3e298), ("tiny", 4e-300)].map {
                    Figure(Label($0.0), $0.1)
                })),
        ChartCase(
            "Wide numbers and a long unit",
            bars(
                [("a", 987_654_321_987_654), ("Households", -987_654_321_987_654), ("c", 1)].map {
                    Figure(Label($0.0), $0.1)
                }, isAdditive: false, unit: "millilitres a day and head", title: "use")),
        ChartCase(
            "Only tiny", bars([Figure("a", 3e-9), Figure("b", 1e-9), Figure("c", 2.5e-9)])),
        ChartCase(
            "Not finite",
            bars([Figure("a", .infinity), Figure("b", .nan), Figure("c", 2), Figure("d", nil)])),
        ChartCase(
            "Identical labels",
            bars([
                Figure(Label(value: "k1", text: "Koro"), 3),
                Figure(Label(value: "k2", text: "Koro"), 2), Figure("Gau", 1), Figure("Gau", 1),
            ])),
        ChartCase(
            "Markup & control <characters>",
            bars([
                Figure("<script>alert(1)</script>", 3, filter: "a = '<\"&>'"),
                Figure("]]> & \"quoted\" 'text'", 2), Figure("a\u{1B}[31mred\u{0}\u{7}", 1),
                Figure("line\nbreak\tand\u{2028}more", 1), Figure("\u{202E}turned\u{2066}", 1),
                Figure("", 1), Figure("   ", 1), Figure("\u{FFFE}\u{1FFFF}", 1),
            ])),
        ChartCase(
            "Stacked", subtitle: "Households by source and treatment",
            bars(
                ["Well", "Spring", "Tap", "River"].enumerated().flatMap { row, name in
                    ["boiled", "chlorine", "none"].enumerated().map {
                        Figure(Label(name), Double((row + 2) * ($0 + 1)), series: Label($1))
                    }
                })),
        ChartCase(
            "Grouped with gaps",
            bars(
                ["Well", "Spring"].enumerated().flatMap { row, name in
                    ["May", "June", "July"].enumerated().map {
                        Figure(
                            Label(name), $0 == row ? nil : Double(row + $0) + 0.5,
                            series: Label($1))
                    }
                }, isAdditive: false, arrangement: .grouped, unit: "mg/l")),
        ChartCase(
            "Grouped negatives",
            bars(
                ["A", "B", "C"].enumerated().flatMap { row, name in
                    ["one", "two"].enumerated().map {
                        Figure(Label(name), Double((row - 1) * ($0 + 3)), series: Label($1))
                    }
                }, isAdditive: false)),
        ChartCase(
            "Eleven series",
            bars(
                (1...4).flatMap { row in
                    (1...11).map {
                        Figure(
                            Label("Village \(row)"), Double($0 + row),
                            series: Label("Surveyor number \($0)"))
                    }
                })),
        ChartCase(
            "10,000 values", bars((1...10_000).map { Figure(Label("value \($0)"), 1) })),
        ChartCase(
            "One mark under a thousand accents",
            bars([Figure(Label("a" + String(repeating: "\u{301}", count: 5000)), 1)])),
    ]

    static func days(_ count: Int, from first: Int = 20_700) -> [Label] {
        (0..<count).map { Label(Calendar.text(Double((first + $0) * Calendar.day), zone: 0)) }
    }

    private static let columns: [ChartCase] = [
        ChartCase(
            "Entries by day",
            bars(
                days(14).enumerated().map { Figure($1, Double(($0 * 7) % 11)) }, order: .sequence,
                title: "entries")),
        ChartCase(
            "Entries by day of a year",
            bars(
                days(365).enumerated().map { Figure($1, Double(($0 * 37) % 101)) },
                order: .sequence, title: "entries")),
        ChartCase(
            "Two thousand days",
            bars(days(2000).map { Figure($0, 1) }, order: .sequence)),
        ChartCase(
            "Steps with long names",
            bars(
                (1...7).map {
                    Figure(Label("Step \($0): \(sentence.prefix(30 + $0))"), Double($0))
                },
                order: .sequence)),
        ChartCase(
            "Negative columns by month and village",
            bars(
                ["Jan", "Feb", "Mar", "Apr"].enumerated().flatMap { index, month in
                    ["Koro", "Gau"].enumerated().map {
                        Figure(Label(month), Double(index - 2) * Double($0 + 1), series: Label($1))
                    }
                }, order: .sequence, isAdditive: false, unit: "mm")),
    ]

    static let start = 1_795_305_600.0  // 2026-11-22

    static func wave(_ count: Int, step: Double, phase: Double = 0) -> [Lines.Point] {
        (0..<count).map {
            let x = Double($0) / Double(count) * 12 + phase
            // A wave without sines: a parabola, turned over and over.
            let turn = x.truncatingRemainder(dividingBy: 2) - 1
            let sign = Int(x / 2) % 2 == 0 ? 1.0 : -1.0
            return Lines.Point(start + Double($0) * step, 120 + sign * 20 * (1 - turn * turn))
        }
    }

    private static let lines: [ChartCase] = [
        ChartCase(
            "Blood pressure", subtitle: "Systolic and diastolic, mmHg",
            .lines(
                Lines(
                    [
                        Lines.Series("systolic", wave(30, step: 86_400)),
                        Lines.Series(
                            "diastolic",
                            wave(30, step: 86_400).map { Lines.Point($0.x, ($0.y ?? 0) - 45) }),
                    ], along: .time(zone: 43_200), unit: "mmHg"))),
        ChartCase(
            "Line with gaps",
            .lines(
                Lines(
                    [
                        Lines.Series(
                            .only,
                            wave(40, step: 3600).enumerated().map {
                                Lines.Point(
                                    $1.x, $0 % 9 == 4 || (20...26).contains($0) ? nil : $1.y)
                            })
                    ], along: .time(zone: 0)))),
        ChartCase(
            "One point",
            .lines(Lines([Lines.Series(.only, [Lines.Point(start, 3)])], along: .time(zone: 0)))),
        ChartCase(
            "Zero range",
            .lines(
                Lines(
                    [Lines.Series(.only, (0..<5).map { Lines.Point(Double($0), 42) })],
                    along: .numbers(unit: "m")))),
        ChartCase("Line of nothing", .lines(Lines([], along: .time(zone: 0)))),
        ChartCase(
            "All gaps",
            .lines(
                Lines(
                    [Lines.Series(.only, [Lines.Point(0, nil), Lines.Point(9, .nan)])],
                    along: .numbers(unit: "")))),
        ChartCase(
            "A million points",
            .lines(
                Lines(
                    [Lines.Series(.only, wave(1_000_000, step: 60))], along: .time(zone: 0)))),
        ChartCase(
            "Nine lines that end together",
            .lines(
                Lines(
                    (1...9).map { index in
                        Lines.Series(
                            Label("Collector with name number \(index)"),
                            (0..<6).map {
                                Lines.Point(Double($0), Double($0) + Double(index) / 50)
                            })
                    }, along: .numbers(unit: "")))),
        ChartCase(
            "Extremes",
            .lines(
                Lines(
                    [
                        Lines.Series(
                            .only,
                            [
                                Lines.Point(-1e300, -1e300), Lines.Point(0, 1e300),
                                Lines.Point(1e300, .infinity), Lines.Point(1e300, 0),
                            ])
                    ], along: .numbers(unit: "")))),
        ChartCase(
            "Centuries",
            .lines(
                Lines(
                    [
                        Lines.Series(
                            .only,
                            stride(from: -3e11, through: 3e11, by: 1e11).map {
                                Lines.Point($0, $0 / 1e9)
                            })
                    ], along: .time(zone: -36_000)))),
        ChartCase(
            "Close to a large number",
            .lines(
                Lines(
                    [
                        Lines.Series(
                            .only,
                            (0..<9).map { Lines.Point(Double($0), 1_000_000_000 + Double($0)) })
                    ], along: .numbers(unit: "s"), unit: "Pa", title: "pressure"))),
    ]

    private static let histograms: [ChartCase] = [
        ChartCase(
            "Recovery", subtitle: "n 10, mean 42, median 40, min 10, max 75",
            .histogram(Histogram(of: recoveries, unit: "%", title: "recovery"))),
        ChartCase("Histogram of nothing", .histogram(Histogram(of: []))),
        ChartCase("Histogram of one", .histogram(Histogram(of: [3.7]))),
        ChartCase(
            "Histogram of equals", .histogram(Histogram(of: Array(repeating: -0.25, count: 99)))),
        ChartCase(
            "Histogram of a million",
            .histogram(Histogram(of: (0..<1_000_000).map { Double($0 * 7919 % 10_007) / 100 }))),
        ChartCase(
            "Histogram of extremes", .histogram(Histogram(of: [-1e300, 1e300, 0, .nan, 1]))),
    ]

    /// Numbers that look random and are the same each time.
    struct Noise {
        var state: UInt64 = 7

        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
    }

    static func scattered(_ count: Int, around east: Double, _ north: Double, _ size: Double)
        -> [GeoPoint]
    {
        var noise = Noise()
        return (0..<count).map { _ in
            let (x, y) = (noise.next() + noise.next() - 1, noise.next() + noise.next() - 1)
            return GeoPoint(longitude: east + x * size, latitude: north + y * size)
        }
    }

    private static let maps: [ChartCase] = [
        ChartCase("Wells", .points(PointMap(scattered(60, around: 178.4, -18.1, 0.4)))),
        ChartCase(
            "One well",
            .points(
                PointMap([
                    GeoPoint(longitude: 34.8, latitude: -6.2, label: "Well 3", filter: "_id = '3'")
                ]))),
        ChartCase("Map of nothing", .points(PointMap([]))),
        ChartCase(
            "Not on the earth",
            .points(
                PointMap([
                    GeoPoint(longitude: .nan, latitude: 0), GeoPoint(longitude: 0, latitude: 91),
                    GeoPoint(longitude: 400, latitude: 0), GeoPoint(longitude: 12, latitude: 50),
                ]))),
        ChartCase(
            "Across the antimeridian",
            .points(PointMap(scattered(200, around: 179.9, -17, 3)))),
        ChartCase(
            "Around the world",
            .points(
                PointMap((0..<72).map { GeoPoint(longitude: Double($0) * 5 - 180, latitude: 10) }))
        ),
        ChartCase(
            "At the pole",
            .points(
                PointMap(
                    (0..<36).map { GeoPoint(longitude: Double($0) * 10, latitude: 89.5) }))),
        ChartCase(
            "Twenty thousand at one place",
            .points(
                PointMap(
                    Array(repeating: GeoPoint(longitude: 7, latitude: 46), count: 20_000)
                        + [GeoPoint(longitude: 7.02, latitude: 46.01)]))),
        ChartCase(
            "A million sightings",
            .points(PointMap(scattered(1_000_000, around: -98, 39, 12)))),
    ]
}
