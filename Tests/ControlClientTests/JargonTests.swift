import Foundation
import ShareTestKit
import Testing

/// What the command says is in people's words.
@Suite struct JargonTests {
    /// Of these files only, which look into how a room is kept.
    private static let exempt = ["VerifyCommand.swift", "RebuildCommand.swift"]

    private var words: Regex<(Substring, Substring)> {
        /\b(seal|seals|sealed|sealing|batch|batches|digest|chain|verdict|operations?|quarantined?)\b/
            .ignoresCase()
    }

    @Test func `no message of the command speaks of how a room is kept`() throws {
        let root = Repository.url("Sources/shared")
        let files = try #require(FileManager.default.enumerator(atPath: root.path))
        var seen = 0
        for case let file as String in files where file.hasSuffix(".swift") {
            guard !Self.exempt.contains(where: file.hasSuffix) else { continue }
            seen += 1
            let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//") else { continue }
                for literal in Self.literals(in: code) {
                    #expect(
                        literal.firstMatch(of: words) == nil, "\(file): \(literal)")
                }
            }
        }
        #expect(seen > 60)
    }

    /// The texts between quotes that have a blank in them: names of events and members are one word.
    private static func literals(in line: Substring) -> [Substring] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && $0.element.contains(" ") }.map(\.element)
    }
}
