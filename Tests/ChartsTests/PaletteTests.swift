import Foundation
import Testing

@testable import Charts

struct PaletteTests {
    /// What people see who lack one kind of cones, as matrices on linear light
    /// (Machado, Oliveira, Fernandes 2009, severity 1), and what all others see.
    private static let eyes: [String: [[Double]]] = [
        "all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "no red": [
            [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        "no green": [
            [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        "no blue": [
            [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ]

    private static func linear(_ colour: String) -> [Double] {
        let value = Int(colour.dropFirst(), radix: 16) ?? 0
        return [16, 8, 0].map { shift in
            let share = Double(value >> shift & 255) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
    }

    private static func times(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    /// CIE L*a*b* (D65) of linear light.
    private static func lab(_ light: [Double]) -> [Double] {
        let xyz = times(
            [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]],
            light.map { min(max($0, 0), 1) })
        let f = zip(xyz, [0.9505, 1, 1.089]).map { value, white in
            let share = value / white
            return share > 0.008856 ? cbrt(share) : 7.787 * share + 16.0 / 116
        }
        return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    }

    private static func luminance(_ colour: String) -> Double {
        zip(linear(colour), [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + $1.0 * $1.1 }
    }

    @Test(arguments: [(Palette.light, "#ffffff"), (Palette.dark, "#161616")])
    func `colours stand out from their ground and from one another, for all eyes`(
        _ colours: [String], _ ground: String
    ) {
        for colour in colours {
            let pair = [Self.luminance(colour), Self.luminance(ground)].sorted()
            #expect((pair[1] + 0.05) / (pair[0] + 0.05) >= 3, "\(colour)")
        }
        for (name, eye) in Self.eyes {
            let seen = colours.map { Self.lab(Self.times(eye, Self.linear($0))) }
            // The greys are told by their names, and from each other; series by colour, too.
            let greys = zip(seen[Palette.other], seen[Palette.noAnswer]).map { pow($0 - $1, 2) }
            #expect(sqrt(greys.reduce(0, +)) > 19.5, "\(name)")
            for one in 1..<Palette.noAnswer {
                for other in 1..<one {
                    let distance = sqrt(
                        zip(seen[one], seen[other]).reduce(0) { $0 + pow($1.0 - $1.1, 2) })
                    #expect(distance > 19.5, "\(colours[one]) and \(colours[other]): \(name)")
                }
            }
        }
    }

    @Test func `each colour has a hatch and a dash of its own in print`() {
        #expect(Palette.hatches.count == Palette.light.count)
        #expect(Palette.dashes.count == Palette.light.count)
        #expect(Palette.dark.count == Palette.light.count)
        #expect(Set(Palette.hatches).count == Palette.light.count)
        #expect(Set(Palette.dashes).count == Palette.light.count)
        for index in Palette.light.indices where Palette.hatches[index] != nil {
            #expect(ChartStyle.css.contains("url(#hatch-\(index))"))
            #expect(ChartStyle.patterns.contains("id=\"hatch-\(index)\""))
        }
    }
}
