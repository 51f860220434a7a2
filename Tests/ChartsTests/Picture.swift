import Foundation
import FoundationXML
import Testing

@testable import Charts

/// An SVG document read back: where its labels and marks are.
final class Picture: NSObject, XMLParserDelegate {
    /// A line of text as the rectangle that it takes, turned around its anchor.
    struct TextBox {
        var text = ""
        let anchor: Double
        let baseline: Double
        let size: Double
        let align: String
        let angle: Double
        let isBold: Bool

        /// The corners, from the top left on, clockwise as the text sees it.
        var corners: [(x: Double, y: Double)] {
            let width = FontWidths.width(text, size: size, isBold: isBold)
            let left = align == "end" ? -width : align == "middle" ? -width / 2 : 0
            let (top, bottom) = (-size * 0.86, size * 0.22)
            let middle = -size * 0.36
            let (sine, cosine) = (sin(angle * .pi / 180), cos(angle * .pi / 180))
            return [(left, top), (left + width, top), (left + width, bottom), (left, bottom)].map {
                let (x, y) = ($0.0, $0.1 - middle)
                return (
                    anchor + x * cosine - y * sine, baseline + middle + x * sine + y * cosine
                )
            }
        }

        /// True where no side of either separates the two (separating axis theorem).
        func overlaps(_ other: TextBox) -> Bool {
            let (one, two) = (corners, other.corners)
            for corners in [one, two] {
                for side in 0..<2 {
                    let axis = (
                        x: corners[side + 1].x - corners[side].x,
                        y: corners[side + 1].y - corners[side].y
                    )
                    let length = hypot(axis.x, axis.y)
                    guard length > 0 else { continue }
                    func range(_ box: [(x: Double, y: Double)]) -> (Double, Double) {
                        let places = box.map { ($0.x * axis.x + $0.y * axis.y) / length }
                        return (places.min() ?? 0, places.max() ?? 0)
                    }
                    let (first, second) = (range(one), range(two))
                    if first.1 <= second.0 + 0.3 || second.1 <= first.0 + 0.3 { return false }
                }
            }
            return true
        }
    }

    struct MarkBox {
        var title = ""
        let filter: String?
        let colour: String
        let left: Double
        let right: Double
        let top: Double
        let bottom: Double
    }

    private(set) var width = 0.0
    private(set) var height = 0.0
    private(set) var title = ""
    private(set) var summary = ""
    private(set) var labels: [TextBox] = []
    private(set) var marks: [MarkBox] = []
    /// How many elements of each name there are, but for those in patterns.
    private(set) var elements: [String: Int] = [:]
    private var path: [String] = []

    /// - Throws: where the document is not well-formed.
    init(_ document: String) throws {
        super.init()
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = self
        let isWellFormed = parser.parse()
        try #require(isWellFormed, "\(String(describing: parser.parserError))")
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        func number(_ name: String) -> Double { Double(attributes[name] ?? "") ?? .nan }
        path.append(name)
        if !path.contains("defs") { elements[name, default: 0] += 1 }
        switch name {
        case "svg":
            (width, height) = (number("width"), number("height"))
        case "text":
            let turned = attributes["transform"]?.dropFirst("rotate(".count)
                .prefix { $0 != " " }
            labels.append(
                TextBox(
                    anchor: number("x"), baseline: number("y"), size: number("font-size"),
                    align: attributes["text-anchor"] ?? "start",
                    angle: turned.flatMap { Double($0) } ?? 0,
                    isBold: attributes["font-weight"] == "bold"))
        default:
            guard attributes["role"] == "graphics-symbol" else { return }
            var xs: [Double] = []
            var ys: [Double] = []
            switch name {
            case "rect":
                xs = [number("x"), number("x") + number("width")]
                ys = [number("y"), number("y") + number("height")]
            case "circle":
                xs = [number("cx") - number("r"), number("cx") + number("r")]
                ys = [number("cy") - number("r"), number("cy") + number("r")]
            default:
                let numbers = (attributes["d"] ?? "").split { "MLA Z".contains($0) }
                    .compactMap { Double($0) }
                // An arc has five numbers before its end.
                let isSlice = attributes["d"]?.contains("A") == true
                let places = isSlice ? Array(numbers.prefix(4) + numbers.suffix(2)) : numbers
                xs = stride(from: 0, to: places.count, by: 2).map { places[$0] }
                ys = stride(from: 1, to: places.count, by: 2).map { places[$0] }
            }
            marks.append(
                MarkBox(
                    filter: attributes["data-where"],
                    colour: attributes["fill"] ?? "", left: xs.min() ?? .nan,
                    right: xs.max() ?? .nan, top: ys.min() ?? .nan, bottom: ys.max() ?? .nan))
        }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        switch path.last {
        case "text": labels[labels.count - 1].text += text
        case "title" where path.count == 2: title += text
        case "title": marks[marks.count - 1].title += text
        case "desc": summary += text
        default: break
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        path.removeLast()
    }
}
