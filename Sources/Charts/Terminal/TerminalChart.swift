/// The way in which a chart becomes lines of text.
package struct TerminalOptions: Hashable, Sendable {
    /// The columns of the terminal, 40 to 400; no line is wider.
    package var columns: Int
    /// Whether what is drawn has plain ASCII alone; labels stay as people wrote them.
    package var isASCII: Bool
    /// Whether marks have colours, besides the signs that tell them apart.
    package var hasColours: Bool

    /// Makes options; columns out of range are taken as the nearest in it.
    package init(columns: Int = 80, isASCII: Bool = false, hasColours: Bool = false) {
        self.columns = min(max(columns, 40), 400)
        self.isASCII = isASCII
        self.hasColours = hasColours
    }
}

extension Chart {
    /// The chart as lines of text, each ended by a newline.
    package func terminal(_ options: TerminalOptions = TerminalOptions()) -> String {
        var page = TerminalPage(options)
        page.paragraph(caption.title)
        page.paragraph(caption.subtitle)
        if !page.lines.isEmpty { page.line("") }
        if isEmpty {
            page.line("  " + Self.emptyText)
        } else {
            switch plot {
            case .pie(let pie): page.draw(pie)
            case .bars(let bars) where bars.grid.rows.count > Bars.mostRows + 1:
                page.draw(Lines(bars), isFilled: true)
            case .bars(let bars): page.draw(bars)
            case .lines(let lines): page.draw(lines)
            case .histogram(let histogram): page.draw(histogram)
            case .points(let map): page.draw(map)
            }
        }
        let end = notes + caption.origin(page.fitting, room: Double(page.columns))
        if !end.isEmpty { page.line("") }
        for line in end { page.paragraph(line) }
        return page.lines.map { $0 + "\n" }.joined()
    }
}

/// Lines of text that grow downward, none wider than the terminal.
struct TerminalPage {
    let options: TerminalOptions
    private(set) var lines: [String] = []

    init(_ options: TerminalOptions) {
        self.options = options
    }

    var columns: Int { options.columns }
    var fitting: Fitting { TerminalWidth.fitting(ascii: options.isASCII) }
    /// The same for names, which are shortened inside.
    var names: Fitting {
        var names = fitting
        names.keepsEnd = true
        return names
    }

    mutating func line(_ text: String) {
        var line = Substring(text)
        while line.last == " " { line.removeLast() }
        lines.append(String(line))
    }

    /// Text broken into at most four lines.
    mutating func paragraph(_ text: String) {
        guard !text.isEmpty else { return }
        for line in fitting.wrap(text, to: Double(columns), most: 4) { self.line(line) }
    }

    /// The title and unit of an axis, in a line of their own.
    mutating func caption(_ axis: Axis) {
        if axis.hasCaption { line(axis.caption(fitting, to: Double(columns))) }
    }

    /// The sign of Unicode, or the one of ASCII where only that is wanted.
    func sign(_ unicode: String, _ ascii: String) -> String {
        options.isASCII ? ascii : unicode
    }

    /// Numbers in plain ASCII, where only that is wanted.
    func plain(_ text: String) -> String {
        guard options.isASCII else { return text }
        return String(text.map { $0 == "−" || $0 == "–" ? "-" : $0 })
    }

    /// The text in the colour of a series; the palette's order is that of `Palette`.
    func coloured(_ text: String, _ colour: Int) -> String {
        guard options.hasColours, !text.allSatisfy({ $0 == " " }) else { return text }
        let codes = ["90", "34", "33", "32", "35", "36", "93", "95", "31", "91", "92", "37"]
        return "\u{1B}[\(codes[colour % codes.count])m\(text)\u{1B}[0m"
    }

    /// A sign and a name for each series, as many in a line as fit: a long one has a line alone.
    mutating func legend(_ series: [(sign: String, colour: Int, text: String)]) {
        var text = ""
        var used = 0
        for name in series {
            let label = names.shorten(name.text, to: Double(columns - 2))
            let width = TerminalWidth.columns(label) + 2
            if used > 0, used + 2 + width > columns {
                line(text)
                (text, used) = ("", 0)
            }
            if used > 0 { text += "  " }
            text += coloured(name.sign, name.colour) + " " + TerminalWidth.pad(label, 0)
            used += width + (used > 0 ? 2 : 0)
        }
        line(text)
    }
}
