import JSON
import Testing

@testable import ShareFormats

/// What earlier versions of a form had.
struct FormPastTests {
    /// A form of questions with choices of lists; each list by its name, with the names of its choices.
    private func form(
        _ version: Int, lists: [(String, [String])], fields: [(String, list: String)]
    ) throws -> Form {
        let json: JSONObject = [
            "form_id": "visits", "version": .string("\(version)"),
            "lists": .object(
                JSONObject(
                    lists.map { name, choices in
                        JSONObject.Member(
                            key: name, value: .array(choices.map { .string($0) }))
                    })),
            "fields": .array(
                fields.map { ["name": .string($0), "type": "select_one", "list": .string($1)] }),
        ]
        return try Form(json: JSONValue.object(json).text)
    }

    @Test func `fields of one list share what it has no more`() throws {
        let fields = (0..<200).map { ("place\($0)", list: "places") }
        let versions = try (1...3).map { version in
            try form(
                version, lists: [("places", (0..<5_000).map { "p\(version)_\($0)" })],
                fields: fields)
        }
        let last = versions[2].following([versions[1], versions[0]])
        #expect(last.past.retiredLists.map(\.choices.count) == [10_000])
        let parser = ValueParser(last)
        let first = try #require(parser.readers[0].retired)
        #expect(parser.readers.allSatisfy { $0.retired === first })
        #expect(parser.retired("p1_7", at: 199) == "p1_7")
        #expect(parser.retired("p3_7", at: 199) == nil)
    }

    @Test func `fields of other lists have choices of their own`() throws {
        let old = try form(
            1, lists: [("a", ["x", "y", "z"]), ("b", ["x", "u"])],
            fields: [("one", "a"), ("two", "b"), ("three", "a")])
        let new = try form(
            2, lists: [("a", ["x"]), ("b", ["x", "u"])],
            fields: [("one", "a"), ("two", "b"), ("three", "b")])
        let parser = ValueParser(new.following([old]))
        #expect(parser.retired("y", at: 0) == "y")
        #expect(parser.readers[1].retired == nil)
        #expect(parser.retired("z", at: 2) == "z")
        #expect(parser.readers[0].retired !== parser.readers[2].retired)
    }

    @Test func `however lists change, what is kept of all fields is bounded`() throws {
        let fields = (0..<300).map { ("place\($0)", list: "own\($0)") }
        let now = try form(9, lists: fields.map { ($0.1, ["here"]) }, fields: fields)
        let earlier = try (1...3).map { version in
            try form(
                version, lists: [("all", (0..<10_000).map { "p\(version)_\($0)" })],
                fields: fields.map { ($0.0, "all") })
        }
        let past = now.following(earlier).past
        #expect(past.retiredLists.reduce(0) { $0 + $1.choices.count } == RetiredChoices.most)
    }
}
