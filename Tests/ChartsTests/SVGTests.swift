import Foundation
import FoundationXML
import Testing

@testable import Charts

/// Properties that every chart has as SVG, whatever its data are.
struct SVGTests {
    static let widths: [Double] = [280, 320, 480, 720, 1200]

    @Test(arguments: ChartCase.all, widths)
    func `labels neither overlap nor leave the canvas`(_ each: ChartCase, width: Double) throws {
        let picture = try Picture(each.chart.svg(SVGOptions(width: width)))
        #expect(picture.width == width)
        for label in picture.labels {
            #expect(
                label.corners.allSatisfy { corner in
                    corner.x > -0.5 && corner.x < picture.width + 0.5 && corner.y > -0.5
                        && corner.y < picture.height + 0.5
                }, "\(label.text) at \(label.corners)")
        }
        for (index, one) in picture.labels.enumerated() {
            for other in picture.labels[(index + 1)...] where one.overlaps(other) {
                Issue.record("\(one.text) overlaps \(other.text)")
            }
        }
    }

    @Test(arguments: ChartCase.all, widths)
    func `marks are inside the canvas and have names`(_ each: ChartCase, width: Double) throws {
        let picture = try Picture(each.chart.svg(SVGOptions(width: width)))
        for mark in picture.marks {
            #expect(!mark.title.isEmpty)
            #expect(
                mark.left > -0.5 && mark.right < picture.width + 0.5 && mark.top > -0.5
                    && mark.bottom < picture.height + 0.5, "\(mark)")
        }
        #expect(each.chart.isEmpty == picture.labels.contains { $0.text == "no values" })
    }

    @Test(arguments: ChartCase.all)
    func `a document is bounded, and has no scripts or styles in attributes`(
        _ each: ChartCase
    ) throws {
        let alone = each.chart.svg()
        #expect(alone.utf8.count < 130_000)
        for forbidden in ["style=", "<script", "onload", "javascript:", "href"] {
            #expect(!alone.contains(forbidden) || each.name.contains("Markup"))
        }
        for forbidden in ["nan", "inf", "NaN"] {
            #expect(!alone.contains("\"\(forbidden)"))
        }
        #expect(alone.contains("<style>@media screen and (prefers-color-scheme:dark)"))
        let picture = try Picture(alone)
        #expect(picture.title == each.name)
        #expect(picture.summary.hasPrefix(each.chart.kind))
    }

    @Test func `markup and control characters in labels are text`() throws {
        let picture = try Picture(
            ChartCase.named("Markup & control <characters>").chart.svg())
        let texts = picture.labels.map(\.text)
        #expect(texts.contains("<script>alert(1)</script>"))
        #expect(texts.contains("]]> & \"quoted\" 'text'"))
        #expect(texts.contains("line break and more"))
        #expect(texts.contains("turned"))
        #expect(texts.contains("(empty)") && texts.contains("(blank)"))
        #expect(picture.elements["script"] == nil)
        #expect(picture.marks[0].filter == "a = '<\"&>'")
    }

    @Test func `each slice leads to its entries`() throws {
        let picture = try Picture(ChartCase.named("Entries by virus").chart.svg())
        #expect(picture.marks.count == 9)
        #expect(picture.marks[0].filter == "Virus_Name = 'Chickenpox'")
        #expect(picture.marks[0].title == "Chickenpox: 2 (20 %)")
        #expect(Set(picture.marks.map(\.colour)).count == 9)
    }

    @Test func `other is grey, and the one slice is a whole circle`() throws {
        let many = try Picture(ChartCase.named("Pie of 40 categories").chart.svg())
        #expect(many.marks.last?.title == "other: 31 more: 2,325 (73.1 %)")
        #expect(many.marks.last?.colour == Palette.light[Palette.other])
        let one = try Picture(ChartCase.named("One slice").chart.svg())
        #expect(one.elements["circle"] == 1)
    }

    @Test func `ticks of a period are equidistant and a gap stays a gap`() throws {
        let picture = try Picture(ChartCase.named("Line with gaps").chart.svg())
        let hours = picture.labels.filter { $0.text.hasSuffix(":00") }.map(\.anchor)
        let steps = zip(hours, hours.dropFirst()).map { $1 - $0 }
        #expect(hours.count > 4)
        #expect(steps.allSatisfy { abs($0 - steps[1]) < 15 })
        #expect(picture.elements["path"] ?? 0 >= 4)
    }

    @Test func `circles of a map are apart and count everything`() throws {
        for name in ["Wells", "Across the antimeridian", "A million sightings"] {
            let each = try ChartCase.named(name)
            guard case .points(let map) = each.chart.plot else { return }
            for width in Self.widths {
                let picture = try Picture(each.chart.svg(SVGOptions(width: width)))
                let counts = picture.marks.map { mark in
                    Int(mark.title.prefix { $0 != " " }.filter { $0 != "," }) ?? 0
                }
                #expect(counts.reduce(0, +) == map.total)
                #expect(picture.marks.count < 400)
                for (index, one) in picture.marks.enumerated() {
                    for other in picture.marks[(index + 1)...] {
                        let apart =
                            hypot(
                                one.left + one.right - other.left - other.right,
                                one.top + one.bottom - other.top - other.bottom) / 2
                        let radii = (one.right - one.left + other.right - other.left) / 2
                        #expect(apart > radii - 0.5, "\(one) and \(other)")
                    }
                }
            }
        }
    }

    @Test func `a name that has no room is shortened, and whole in its mark`() throws {
        let picture = try Picture(
            ChartCase.named("Long labels").chart.svg(SVGOptions(width: 320)))
        #expect(picture.labels.contains { $0.text.contains("…") && $0.text.hasSuffix("(6)") })
        #expect(picture.marks[0].title.contains("(6): 78"))
    }
}
