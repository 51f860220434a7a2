import Foundation
import ShareTestKit
import Testing

@testable import Expressions

struct DocumentTests {
    @Test func `the documentation has every function, and no other`() throws {
        let path = Repository.url("docs/expressions.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let part = try #require(
            text.components(separatedBy: "## Functions\n").last?
                .components(separatedBy: "`regex` matches").first)
        var named: Set<String> = []
        for (place, span) in part.components(separatedBy: "`").enumerated()
        where !place.isMultiple(of: 2) {
            // `round(number, places)`
            let plain = span.replacing(/\([^)]*\)/, with: "")
            named.formUnion(plain.split(whereSeparator: \.isWhitespace).map(String.init))
        }
        let known = Set(Function.allCases.map { "\($0.signature.name)" })
        #expect(named == known, "\(named.symmetricDifference(known).sorted())")
    }
}
