import Foundation
import ShareTestKit
import Testing

@testable import Charts

/// Charts as they have been found good by eye, to the byte.
///
/// After a change that is meant, `CHARTS_GOLDEN=1 swift test --filter Golden` writes them anew: look
/// at what `git diff` and a browser show then.
struct GoldenTests {
    private static let folder = Repository.url("Tests/Golden/charts")

    private func check(_ text: String, _ name: String) throws {
        let file = Self.folder.appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["CHARTS_GOLDEN"] != nil {
            try Data(text.utf8).write(to: file)
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == golden, "\(name) differs")
    }

    @Test(arguments: ["Entries by virus", "Negatives", "Blood pressure", "Recovery", "Wells"])
    func `a chart is drawn as before`(_ name: String) throws {
        let chart = try ChartCase.named(name).chart
        let file = name.replacingOccurrences(of: " ", with: "-").lowercased()
        try check(chart.svg(), "\(file).svg")
        try check(
            chart.terminal(TerminalOptions()) + "\n"
                + chart.terminal(TerminalOptions(columns: 60, isASCII: true)), "\(file).txt")
    }
}
