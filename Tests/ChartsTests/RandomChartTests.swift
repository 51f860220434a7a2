import Testing

@testable import Charts

/// Charts of random data: whatever comes, labels stay apart and lines within their width.
struct RandomChartTests {
    private struct Source {
        var noise: ChartCase.Noise

        mutating func below(_ limit: Int) -> Int { Int(noise.next() * Double(limit)) }

        mutating func number() -> Double {
            let choices: [Double] = [
                0, 1, -1, 0.1, 42, -273.15, 1e6, 999_999_999, 1e15, -1e-9, 1e300, -1e300,
                .leastNonzeroMagnitude,
                .nan, .infinity, noise.next(), noise.next() * 1e4, -noise.next(),
            ]
            return choices[below(choices.count)]
        }

        mutating func label() -> Label {
            let words = [
                "Koro", "مستشفى", "東京都の病院", "e\u{301}\u{302}\u{303}", "<&\">", "🇫🇯👩‍👩‍👧", "\u{1B}[2J",
                "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", "a", "", "हिन्दी ज़िला", "i i i i", "…",
                "12",
            ]
            let text = (0...below(7)).map { _ in words[below(words.count)] }
                .joined(separator: " ")
            return below(12) == 0 ? .missing : Label(value: "\(below(40))", text: text)
        }

        mutating func chart() -> Chart? {
            let series = (0...below(5)).map { _ in label() }
            let figures = (0..<below(60)).map { _ in
                Figure(label(), number(), series: series[below(series.count)])
            }
            let plot: Chart.Plot?
            switch below(5) {
            case 0: plot = (try? Pie(figures, unit: label().text)).map { .pie($0) }
            case 1, 2:
                let orders: [FigureGrid.Order] = [.descending, .given, .sequence]
                plot =
                    (try? Bars(
                        figures, order: orders[below(3)],
                        arrangement: below(2) == 0 ? .stacked : .grouped, unit: label().text,
                        title: label().text)).map { .bars($0) }
            case 3:
                plot = .lines(
                    Lines(
                        series.map { one in
                            Lines.Series(
                                one,
                                (0..<below(80)).map { _ in Lines.Point(number(), number()) })
                        }, along: below(2) == 0 ? .time(zone: 3600) : .numbers(unit: "m"),
                        unit: label().text, title: label().text))
            default:
                plot =
                    below(2) == 0
                    ? .histogram(Histogram(of: (0..<below(50)).map { _ in number() }))
                    : .points(
                        PointMap(
                            (0..<below(500)).map { _ in
                                GeoPoint(
                                    longitude: (noise.next() - 0.5) * 400,
                                    latitude: (noise.next() - 0.5) * 190,
                                    count: below(9) == 0 ? 1000 : 1)
                            }))
            }
            return plot.map {
                Chart(
                    Chart.Caption(
                        label().text, subtitle: label().text, source: label().text, time: "now"),
                    $0)
            }
        }
    }

    @Test(arguments: 1...30)
    func `a random chart is laid out well`(_ seed: Int) throws {
        var source = Source(noise: ChartCase.Noise(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15))
        for _ in 0..<5 {
            guard let chart = source.chart() else { continue }
            let width = Double(280 + source.below(900))
            let picture = try Picture(chart.svg(SVGOptions(width: width)))
            for (index, one) in picture.labels.enumerated() {
                #expect(
                    one.corners.allSatisfy {
                        $0.x > -0.5 && $0.x < width + 0.5 && $0.y > -0.5
                            && $0.y < picture.height + 0.5
                    }, "\(one.text) leaves the canvas")
                for other in picture.labels[(index + 1)...] where one.overlaps(other) {
                    Issue.record("\(one.text) overlaps \(other.text)")
                }
            }
            for mark in picture.marks {
                #expect(mark.left > -0.5 && mark.right < width + 0.5)
                #expect(mark.top > -0.5 && mark.bottom < picture.height + 0.5)
            }
            let columns = 40 + source.below(160)
            let options = TerminalOptions(columns: columns, isASCII: source.below(2) == 0)
            for line in chart.terminal(options).split(separator: "\n") {
                #expect(TerminalWidth.columns(String(line)) <= columns, "\(line)")
            }
        }
    }

    @Test func `a tower of marks is cut down`() {
        let tower = "a" + String(repeating: "\u{301}", count: 5000)
        #expect(CleanText.line(tower + "b", most: 200).unicodeScalars.count == 6)
        #expect(CleanText.line(String(repeating: "ab", count: 500), most: 200).count == 203)
        #expect(CleanText.line("  x \n", most: 9) == "x")
    }
}
