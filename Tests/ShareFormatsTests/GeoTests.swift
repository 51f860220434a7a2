import ShareCore
import Testing

@testable import ShareFormats

struct GeoTests {
    private func parser() throws -> ValueParser {
        let fields = ["geopoint", "geotrace", "geoshape"].map {
            "{\"name\":\"\($0)\",\"type\":\"\($0)\"}"
        }
        return ValueParser(
            try Form(
                json: Array(
                    "{\"form_id\":\"f\",\"fields\":[\(fields.joined(separator: ","))]}".utf8)))
    }

    @Test(arguments: [
        ("48.2082 16.3738", "48.2082 16.3738"), (" -33.9,18.4 ", "-33.9 18.4"),
        ("48.2, 16.37, 170, 5", "48.2 16.37 170 5"), ("90 -180 0 0", "90 -180 0 0"), (" ", nil),
    ])
    func `a point is read`(typed: String, stored: String?) throws {
        #expect(try parser().value(typed, at: 0) == stored.map { .text($0) } ?? .absent)
    }

    @Test(arguments: [
        "48,2 16,3", "12,65, -8,00", "12,65,-8,00", "12,65", "91 0", "0 181", "1", "1 2 3 4 5",
        "1 2 3 -4", "a b", "nan 1", "1e3 4",
        "1 2;3 4",
        ",", "--1 2",
    ])
    func `what is no point is refused with a hint`(typed: String) throws {
        let parser = try parser()
        #expect {
            try parser.value(typed, at: 0)
        } throws: {
            ($0 as? ValueError)?.hint.isEmpty == false
        }
    }

    @Test func `lines and areas have enough points, and an area is closed`() throws {
        let parser = try parser()
        #expect(try parser.value("1 2; 3 4;", at: 1) == .text("1 2;3 4"))
        #expect(throws: ValueError.self) { try parser.value("1 2", at: 1) }
        #expect(try parser.value("1 2;3 4;5 6", at: 2) == .text("1 2;3 4;5 6;1 2"))
        #expect(try parser.value("1 2;3 4;5 6;1 2", at: 2) == .text("1 2;3 4;5 6;1 2"))
        #expect(throws: ValueError.self) { try parser.value("1 2;3 4", at: 2) }
        #expect(throws: ValueError.self) { try parser.value("1 2;3 400;5 6", at: 2) }
    }
}
