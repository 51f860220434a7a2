extension TerminalPage {
    /// Points as dots, and as counts where one cell has several, in a frame with degrees.
    mutating func draw(_ map: PointMap) {
        let parallels = map.parallels(atMost: 5)
        let widest = parallels.map { TerminalWidth.columns(degrees($0.text)) }.max() ?? 0
        // A column is about half as wide as a line is high.
        let most = columns - widest - 4
        let rows = min(max(Int(Double(most) / map.aspect / 2), 6), 30)
        let inner = min(most, max(12, Int(Double(rows) * 2 * map.aspect)))
        let (canvas, hasMixed) = canvas(map, parallels, columns: inner, rows: rows)
        let labels = Dictionary(
            parallels.map { (Self.row($0.share, rows), degrees($0.text)) },
            uniquingKeysWith: { first, _ in first })
        for row in 0..<rows {
            line(
                TerminalWidth.pad(labels[row] ?? "", widest, isNumber: true) + " "
                    + (labels[row] == nil ? sign("│", "|") : sign("┤", "+"))
                    + text(canvas.row(row)))
        }
        for count in stride(from: 6, through: 1, by: -1) {
            let meridians = map.meridians(atMost: count)
            let ticks = meridians.map { Tick(value: 0, text: degrees($0.text)) }
            let places = meridians.map { Int(($0.share * Double(inner - 1)).rounded()) }
            if bottomAxis(ticks, places, indent: widest + 2, columns: inner) { break }
        }
        let bar = map.scaleBar(share: 0.3)
        let length = max(1, Int((bar.share * Double(inner)).rounded()) - 2)
        line(
            String(repeating: " ", count: widest + 2) + sign("├", "|")
                + String(repeating: sign("─", "-"), count: length) + sign("┤", "|") + " "
                + plain(bar.text))
        guard map.isDivided else { return }
        line("")
        legend(map.series.enumerated().map { (Self.letter($0), map.colour($0), $1.text) })
        if hasMixed { paragraph("+ others are among them, fewer than of that letter") }
    }

    /// Degrees without their sign, where only ASCII is wanted.
    private func degrees(_ text: String) -> String {
        options.isASCII ? text.filter { $0 != "°" } : text
    }

    private static func row(_ share: Double, _ rows: Int) -> Int {
        min(max(Int((1 - share) * Double(rows)), 0), rows - 1)
    }

    private func canvas(
        _ map: PointMap, _ parallels: [(share: Double, text: String)], columns: Int, rows: Int
    ) -> (DotCanvas, hasMixed: Bool) {
        var canvas = DotCanvas(columns: columns, rows: rows, isASCII: options.isASCII)
        for parallel in parallels {
            for meridian in map.meridians(atMost: 5) {
                canvas.write(
                    sign("·", "+"), column: Int(meridian.share * Double(columns - 1)),
                    row: Self.row(parallel.share, rows), colour: 0)
            }
        }
        let east = Scale.linear(map.longitudes)
        let north = Scale.linear(map.latitudes)
        let placed = map.places.map {
            (
                $0, east.position(of: $0.longitude) * Double(columns),
                (1 - north.position(of: $0.latitude)) * Double(rows)
            )
        }
        var hasMixed = false
        // A count stays in its cell, a blank behind it, so that none runs into another.
        let least = map.isDivided ? 5 : 3
        let cell = map.total <= 99 ? (width: least, height: 1) : (width: 7, height: 2)
        for cluster in Cluster.byCell(
            placed, width: Double(cell.width), height: Double(cell.height))
        {
            let count = cluster.place.count
            var text = count == 1 ? sign("•", "*") : Numeral.compact(Double(count))
            let largest = cluster.shares[0].series
            if map.isDivided {
                let isMixed = cluster.parts.count > 1
                hasMixed = hasMixed || isMixed
                text =
                    Self.letter(largest) + (count == 1 ? "" : text) + (isMixed ? "+" : "")
            }
            let first = Int(cluster.x) / cell.width * cell.width
            let last = min(first + cell.width - 1, columns) - text.count
            canvas.write(
                text, column: max(first, min(Int(cluster.x) - text.count / 2, last)),
                row: min(Int(cluster.y), rows - 1), colour: map.colour(largest))
        }
        return (canvas, hasMixed)
    }
}
