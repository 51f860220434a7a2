/// A drawing that grows from the top to the bottom: elements of SVG, escaped, as text.
///
/// Colours and sizes are attributes, so that programs without style sheets draw it right, and
/// a page may forbid styles inside. Coordinates are pixels, text is placed by its middle.
struct SVGCanvas {
    enum Anchor: String {
        case start, middle, end
    }

    /// An element that stands for entries.
    struct Mark {
        /// The words for a pointer that rests on it, and for who hears it.
        let title: String
        var filter: String?
        /// West, south, east and north of the entries, in degrees.
        var box: String?
    }

    static let margin = 16.0
    let width: Double
    /// The place where the next part begins.
    var y = margin
    private(set) var body = ""

    init(width: Double) {
        self.width = width
    }

    var left: Double { Self.margin }
    var right: Double { width - Self.margin }

    /// Adds one line of text; `angle` turns it around its anchor, in degrees.
    mutating func text(
        _ text: String, x: Double, middle: Double, size: Double = 12, anchor: Anchor = .start,
        kind: String = "", isBold: Bool = false, angle: Double = 0
    ) {
        guard !text.isEmpty else { return }
        let fill = kind.contains("inside") ? "#fff" : kind.contains("quiet") ? "#595959" : "#1a1a1a"
        let baseline = middle + size * 0.36
        body += "<text x=\"\(Self.number(x))\" y=\"\(Self.number(baseline))\""
        body += " font-size=\"\(Self.number(size))\" fill=\"\(fill)\""
        if !kind.isEmpty { body += " class=\"\(kind)\"" }
        if anchor != .start { body += " text-anchor=\"\(anchor.rawValue)\"" }
        if isBold { body += " font-weight=\"bold\"" }
        if angle != 0 {
            let (x, y) = (Self.number(x), Self.number(middle))
            body += " transform=\"rotate(\(Self.number(angle)) \(x) \(y))\""
        }
        body += ">\(Self.escaped(text))</text>\n"
    }

    /// Adds a straight line of the kind `grid`, `axis` or `leader`.
    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, kind: String = "grid"
    ) {
        let stroke = kind == "grid" ? "#dcdcdc" : "#595959"
        body += "<line x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\""
        body += " x2=\"\(Self.number(x2))\" y2=\"\(Self.number(y2))\""
        body += " class=\"\(kind == "leader" ? "axis" : kind)\" stroke=\"\(stroke)\"/>\n"
    }

    /// Adds a filled element in a colour of the palette.
    mutating func shape(
        _ element: String, colour: Int, _ mark: Mark? = nil, hasEdge: Bool = true,
        opacity: Double = 1
    ) {
        let classes = (mark == nil ? "" : "mark ") + "fill-\(colour)" + (hasEdge ? " edge" : "")
        body += "<\(element) class=\"\(classes)\""
        body += " fill=\"\(Palette.light[colour])\""
        if hasEdge { body += " stroke=\"#fff\"" }
        if opacity < 1 { body += " fill-opacity=\"\(Self.number(opacity))\"" }
        close(element, mark)
    }

    /// Adds a rectangle, upright even where its ends are given the other way round.
    mutating func bar(
        x: Double, y: Double, width: Double, height: Double, colour: Int, _ mark: Mark?,
        hasEdge: Bool = false
    ) {
        let (x, width) = width < 0 ? (x + width, -width) : (x, width)
        let (y, height) = height < 0 ? (y + height, -height) : (y, height)
        shape(
            "rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" width=\"\(Self.number(width))\""
                + " height=\"\(Self.number(height))\"", colour: colour, mark, hasEdge: hasEdge)
    }

    /// Adds the square by which a legend shows a colour.
    mutating func swatch(x: Double, y: Double, colour: Int) {
        bar(x: x, y: y, width: 12, height: 12, colour: colour, nil)
    }

    mutating func circle(
        x: Double, y: Double, radius: Double, colour: Int, _ mark: Mark? = nil, opacity: Double = 1
    ) {
        shape(
            "circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\"",
            colour: colour, mark, opacity: opacity)
    }

    /// Adds a circle in the colour of the ground.
    mutating func hole(x: Double, y: Double, radius: Double) {
        body += "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\""
        body += " r=\"\(Self.number(radius))\" class=\"surface\" fill=\"#fff\"/>\n"
    }

    /// Adds a line through points in a colour of the palette.
    mutating func path(
        _ points: [(x: Double, y: Double)], colour: Int, width: Double = 2, _ mark: Mark? = nil
    ) {
        var data = ""
        for (index, point) in points.enumerated() {
            data += "\(index == 0 ? "M" : "L")\(Self.number(point.x)) \(Self.number(point.y))"
        }
        body += "<path d=\"\(data)\" class=\"line line-\(colour)\" fill=\"none\""
        body += " stroke=\"\(Palette.light[colour])\" stroke-width=\"\(width)\""
        body += " stroke-linejoin=\"round\" stroke-linecap=\"round\""
        close("path", mark)
    }

    private mutating func close(_ element: String, _ mark: Mark?) {
        guard let mark else {
            body += "/>\n"
            return
        }
        body += " role=\"graphics-symbol\""
        if let filter = mark.filter { body += " data-where=\"\(Self.escaped(filter))\"" }
        if let box = mark.box { body += " data-box=\"\(box)\"" }
        let name = element.prefix { $0 != " " }
        body += "><title>\(Self.escaped(mark.title))</title></\(name)>\n"
    }

    /// The coordinate with one place at most.
    static func number(_ value: Double) -> String {
        let tenths = Int((min(max(value.isNaN ? 0 : value, -1e6), 1e6) * 10).rounded())
        guard tenths % 10 != 0 else { return String(tenths / 10) }
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    /// The text as content or attribute of an element. What XML does not allow at all is replaced.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
