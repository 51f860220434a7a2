import JSON
import ShareControl
import Testing

@testable import shared

/// Which columns a list has on a terminal.
@Suite struct ListLayoutTests {
    @Test func `fields that a condition names come first of those that fit`() throws {
        let head = ListHead(
            form: "household", title: "Household", key: ["id"],
            columns: ["id", "village", "head", "fever"], former: [], total: 1)
        let record: JSONObject = [
            "id": "KOR-1", "village": "Saint-Louis", "head": "Amadou", "fever": .double(39.5),
        ]
        func header(_ asked: [String], _ width: Int) throws -> String {
            try ListLayout(
                head, [record], columns: nil, asked: asked, isWide: false, isInvalid: false,
                width: width
            ).header
        }
        let plain = try header([], 34)
        #expect(plain.contains("village") && !plain.contains("fever"), "\(plain)")
        let asked = try header(["Fever"], 34)
        #expect(asked.hasPrefix("id     fever  "), "\(asked)")
        // Where all fit, all are there.
        #expect(try header(["fever"], 100).contains("head"))
    }

    @Test func `a list that a limit has cut says how many there are`() throws {
        var head = ListHead(
            form: "household", title: "Household", key: ["id"], columns: ["id"], former: [],
            total: 54)
        func footer(_ fitting: Int?) throws -> String? {
            head.fitting = fitting
            return try ListLayout(
                head, [["id": "KOR-1"]], columns: nil, isWide: false, isInvalid: false, width: 80
            ).footer(3, of: head, width: 80).first
        }
        #expect(try footer(16) == "3 of 16 that fit, of 54 entries")
        head.fitsMore = true
        #expect(try footer(16) == "3 of more than 16 that fit, of 54 entries")
        head.fitsMore = false
        // Nothing is left out.
        #expect(try footer(3) == "3 of 54 entries")
        #expect(try footer(nil) == "3 of 54 entries")
    }
}
