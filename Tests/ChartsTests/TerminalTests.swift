import Testing

@testable import Charts

/// Properties that every chart has on a terminal, whatever its data are.
struct TerminalTests {
    @Test(arguments: ChartCase.all, [40, 60, 80, 200])
    func `no line is wider than the terminal`(_ each: ChartCase, columns: Int) {
        for isASCII in [false, true] {
            let text = each.chart.terminal(TerminalOptions(columns: columns, isASCII: isASCII))
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count < 120)
            for line in lines {
                #expect(TerminalWidth.columns(String(line)) <= columns, "\(line)")
                #expect(line.last != " ")
            }
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        }
    }

    @Test(arguments: ChartCase.all)
    func `what is drawn in plain ASCII is plain ASCII`(_ each: ChartCase) {
        let foreign = [
            "Right to left", "Wide and combining", "Markup & control <characters>", "Negatives",
            "One mark under a thousand accents",
        ]
        guard !foreign.contains(each.name) else { return }
        let text = each.chart.terminal(TerminalOptions(isASCII: true))
        #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
    }

    @Test(arguments: ChartCase.all)
    func `colours only add to the signs`(_ each: ChartCase) {
        let plain = each.chart.terminal(TerminalOptions())
        let coloured = each.chart.terminal(TerminalOptions(hasColours: true))
        var stripped = ""
        var isCode = false
        for scalar in coloured.unicodeScalars {
            if scalar == "\u{1B}" { isCode = true }
            if !isCode { stripped.unicodeScalars.append(scalar) }
            if scalar == "m" { isCode = false }
        }
        #expect(stripped == plain)
    }

    @Test func `figures stand in one column, beside any script`() throws {
        for name in ["Right to left", "Wide and combining"] {
            let lines = try ChartCase.named(name).chart.terminal().split(separator: "\n")
            let figures = lines.filter { $0.contains("█") }.map(String.init)
            #expect(figures.count >= 4)
            let ends = Set(figures.map { TerminalWidth.columns($0) })
            #expect(ends == [80])
            let starts = figures.map { line in
                TerminalWidth.columns(String(line.prefix { $0 != "█" }))
            }
            #expect(Set(starts).count == 1)
        }
    }

    @Test func `text from right to left is followed by a mark that keeps columns`() throws {
        let text = try ChartCase.named("Right to left").chart.terminal()
        #expect(text.contains("مرحبا بالعالم\u{200E} "))
        #expect(!text.contains("plain\u{200E}"))
    }

    @Test(arguments: [40, 60, 80, 200])
    func `names that differ at their ends alone differ in a legend`(columns: Int) throws {
        let names = (1...4).map { "Administrative subdivision number \($0)" }
        let figures = names.flatMap { name in
            ["Well", "Tap"].map { Figure(Label($0), 2, series: Label(name)) }
        }
        let chart = Chart(
            Chart.Caption("Wells", source: "room", time: "now"), .bars(try Bars(figures)))
        let text = chart.terminal(TerminalOptions(columns: columns))
        let legend = text.split(separator: "\n").filter { $0.contains("Administrative") }
        for name in names { #expect(text.contains(" \(name)"), "\(text)") }
        // Side by side where there is room for it.
        #expect(legend.count == (columns == 200 ? 1 : columns == 80 ? 2 : 4), "\(text)")
        let long = (1...4).map { "Households of the subdivision and its neighbours, village \($0)" }
        let lines = Chart(
            Chart.Caption("Wells", source: "room", time: "now"),
            .lines(
                Lines(
                    long.map { Lines.Series(Label($0), [Lines.Point(0, 1), Lines.Point(1, 2)]) },
                    along: .numbers(unit: "")))
        ).terminal(TerminalOptions(columns: columns))
        for number in 1...4 { #expect(lines.contains("village \(number)"), "\(lines)") }
    }

    @Test func `bars of series differ without colours`() throws {
        for isASCII in [true, false] {
            let text = try ChartCase.named("Eleven series").chart
                .terminal(TerminalOptions(isASCII: isASCII))
            let bar = try #require(text.split(separator: "\n").first { $0.hasPrefix("Village 4") })
            #expect(Set(bar.dropFirst(9).filter { !$0.isNumber && $0 != " " }).count == 8)
        }
    }

    @Test(arguments: [
        ("plain", 5), ("", 0), ("東京", 4), ("e\u{301}", 1), ("👩‍👩‍👧‍👦", 2), ("🇫🇯", 2), ("❤️", 2), ("한국", 4),
        ("한", 2), ("ｱ", 1), ("ไทยกี่", 4), ("שלום", 4), ("a\u{200E}", 1), ("―", 1),
    ])
    func `columns of text are counted as terminals do`(_ text: String, _ columns: Int) {
        #expect(TerminalWidth.columns(text) == columns)
    }
}
