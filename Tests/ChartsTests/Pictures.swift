import Foundation
import Testing

@testable import Charts

/// Writes every case to a folder, to be looked at: `CHARTS_OUT=DIR swift test --filter Pictures`.
struct Pictures {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CHARTS_OUT"] != nil))
    func `pictures of all cases are written`() throws {
        let folder = ProcessInfo.processInfo.environment["CHARTS_OUT"] ?? ""
        for each in ChartCase.all {
            let name = each.name.filter { $0.isLetter || $0.isNumber }
            for width in [320.0, 720] {
                try each.chart.svg(SVGOptions(width: width))
                    .write(
                        toFile: "\(folder)/\(name)-\(Int(width)).svg", atomically: true,
                        encoding: .utf8
                    )
            }
            for (suffix, options) in [
                ("80", TerminalOptions()), ("60a", TerminalOptions(columns: 60, isASCII: true)),
                ("120c", TerminalOptions(columns: 120, hasColours: true)),
            ] {
                try each.chart.terminal(options)
                    .write(
                        toFile: "\(folder)/\(name)-\(suffix).txt", atomically: true, encoding: .utf8
                    )
            }
        }
    }
}
