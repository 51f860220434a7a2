/// The colours of charts, on light and on dark ground.
///
/// Each series has at least three times the contrast that WCAG asks of graphics against its
/// ground, and stays apart from each other one for people who see no red, no green or no blue.
enum Palette {
    /// Colours of series; the first, at index 0, is for "other", the last for what has no answer.
    static let light = [
        "#5c5c5c", "#3d66cd", "#cd8216", "#08613f", "#a53884", "#0ba0d0", "#775509", "#1f085e",
        "#590808", "#da4e7c", "#a19250", "#949494",
    ]
    static let dark = [
        "#b0b0b0", "#63a6e8", "#e3470e", "#9ef7b8", "#87528f", "#ddebf7", "#f7d451", "#505ad2",
        "#aa4545", "#d186a0", "#8bb85f", "#6e6e6e",
    ]

    /// The greys: of what was put together, and of no answer.
    static let other = 0
    static let noAnswer = light.count - 1

    /// The colour of the series at an index from 0; they come round again after the last.
    static func index(ofSeries index: Int) -> Int { index % (light.count - 2) + 1 }

    /// Lines in a tile of 8 by 8 for each colour, by which a print without colours tells them
    /// apart; nil is solid.
    static let hatches: [String?] = [
        "M1 1h1M5 5h1", nil, "M-1 1l2-2M0 8l8-8M7 9l2-2", "M-1 7l2 2M0 0l8 8M7-1l2 2",
        "M2 0v8M6 0v8", "M0 2h8M0 6h8", "M0 0l8 8M0 8l8-8", "M0 4h8M4 0v8", "M2 2h2M6 6h2",
        "M1 0v8M3 0v8", "M0 1h8M0 3h8", "M2 1v3M6 5v3",
    ]
    /// Dashes of lines in print, for the same.
    static let dashes = [
        "2 2", "none", "8 3", "2 3", "10 3 2 3", "5 5", "14 4", "1 4", "12 2 2 2 2 2", "20 2",
        "6 2", "3 8",
    ]
}

/// The style sheet of charts: what differs from the attributes that the marks carry themselves.
enum ChartStyle {
    /// Rules for a dark ground and for print.
    static let css: String = {
        var dark = """
            .chart text{fill:#ececec}.chart .quiet{fill:#b4b4b4}.chart .surface{fill:#161616}\
            .chart .edge{stroke:#161616}.chart .grid{stroke:#3c3c3c}.chart .axis{stroke:#b4b4b4}\
            .chart .inside{fill:#000}
            """
        var print = ""
        for (index, colour) in Palette.dark.enumerated() {
            dark += ".chart .fill-\(index){fill:\(colour)}.chart .line-\(index){stroke:\(colour)}"
            if Palette.hatches[index] != nil {
                print += ".chart .fill-\(index){fill:url(#hatch-\(index))}"
            }
            print += ".chart .line-\(index){stroke-dasharray:\(Palette.dashes[index])}"
        }
        print +=
            ".chart .edge{stroke:#000}.chart .inside{fill:#000;stroke:#fff;stroke-width:3;paint-order:stroke}"
        return "@media screen and (prefers-color-scheme:dark){\(dark)}@media print{\(print)}"
    }()

    /// The patterns that the rules for print name.
    static let patterns: String = {
        var patterns = ""
        for (index, hatch) in Palette.hatches.enumerated() {
            guard let hatch else { continue }
            patterns += """
                <pattern id="hatch-\(index)" width="8" height="8" patternUnits="userSpaceOnUse">\
                <rect width="8" height="8" fill="#fff"/>\
                <path d="\(hatch)" stroke="\(Palette.light[index])" stroke-width="1.5"/></pattern>
                """
        }
        return "<defs>\(patterns)</defs>"
    }()
}
