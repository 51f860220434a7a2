import JSON
import Testing

@Suite struct CoderTests {
    private enum Side: String, JSONWord { case left, right, both }

    private struct Inner: Codable, Hashable {
        var name: String
        var isOpen: Bool
    }

    private struct Outer: Codable, Hashable {
        var usesLeft: Int
        var formID: String
        var ratio: Double?
        var at: String?
        var count: Int?
        var small: UInt8?
        var isLate: Bool?
        var side: Side
        var inner: [Inner]
        var one: Inner?
        var any: JSONValue
        var members: JSONObject
        var place: String

        private enum CodingKeys: String, CodingKey {
            case usesLeft, formID, ratio, at, count, small, isLate, side, inner, one, any, members
            case place = "where"
        }
    }

    private let outer = Outer(
        usesLeft: .max, formID: "f", ratio: 0.5, at: nil, count: nil, small: nil, isLate: nil,
        side: .both, inner: [Inner(name: "\u{e9}", isOpen: true)], one: nil,
        any: .array([.null, .double(1)]), members: ["camelCase": .integer(1), "is": .null],
        place: "p")

    @Test func `members come in the order of the type, named by one rule, null where absent`() {
        #expect(
            String(decoding: outer.jsonText, as: UTF8.self)
                == #"{"uses_left":9223372036854775807,"form_id":"f","ratio":0.5,"at":null,"#
                + #""count":null,"small":null,"late":null,"side":"both","#
                + #""inner":[{"name":"é","open":true}],"one":null,"any":[null,1.0],"#
                + #""members":{"camelCase":1,"is":null},"where":"p"}"#)
    }

    @Test func `a value reads back, whatever else its JSON says`() throws {
        #expect(try Outer(jsonText: outer.jsonText) == outer)
        var more = try #require(outer.json.object)
        more["later"] = .integer(1)
        for absent in ["ratio", "at", "one"] { more[absent] = nil }
        var expected = outer
        expected.ratio = nil
        #expect(try Outer(json: .object(more)) == expected)
    }

    @Test(arguments: [
        (#"[]"#, "the document must be an object, and is a list"),
        (#"{}"#, "uses_left is missing"),
        (#"{"uses_left":1.5}"#, "uses_left must be a whole number, and is a number"),
        (#"{"uses_left":1,"form_id":null}"#, "form_id must be text, and is null"),
        (
            #"{"uses_left":1,"form_id":"f","ratio":1,"at":1}"#,
            "at must be text, and is a whole number"
        ),
        (
            #"{"uses_left":1,"form_id":"f","small":256,"side":"left"}"#,
            "small must be from 0 to 255, and is 256"
        ),
        (
            #"{"uses_left":1,"form_id":"f","side":"up"}"#,
            #"side must be left, right or both, and is "up""#
        ),
        (
            #"{"uses_left":1,"form_id":"f","side":"left","inner":{}}"#,
            "inner must be a list, and is an object"
        ),
        (
            #"{"uses_left":1,"form_id":"f","side":"left","inner":[{"name":"a","open":true},{"name":"b","open":0}]}"#,
            "inner.[1].open must be true or false, and is a whole number"
        ),
        (
            #"{"uses_left":1,"form_id":"f","side":"left","inner":[],"one":{}}"#,
            "one.name is missing"
        ),
        (
            #"{"uses_left":1,"form_id":"f","side":"left","inner":[],"any":1,"members":[]}"#,
            "members must be an object, and is a list"
        ),
    ])
    func `an error names the member and what it must be`(text: String, message: String) {
        #expect {
            try Outer(jsonText: text.utf8)
        } throws: {
            "\($0)" == message
        }
    }

    @Test func `a type may say its members in two turns, and none at all`() {
        struct Twice: Encodable {
            let inner = Inner(name: "\"n\u{1}", isOpen: false)
            func encode(to encoder: any Encoder) throws {
                try inner.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode([Inner](), forKey: .hadURL)
                try container.encode([[1], []], forKey: .more)
            }
            enum Key: CodingKey { case hadURL, more }
        }
        struct Nothing: Encodable {}
        #expect(
            String(decoding: [Twice(), Twice()].jsonText, as: UTF8.self)
                == #"[{"name":"\"n\u0001","open":false,"had_url":[],"more":[[1],[]]},"#
                + #"{"name":"\"n\u0001","open":false,"had_url":[],"more":[[1],[]]}]"#)
        #expect(String(decoding: [Nothing()].jsonText, as: UTF8.self) == "[{}]")
        #expect(["a\"b": 1].jsonText == Array(#"{"a\"b":1}"#.utf8))
        #expect([Double.nan].jsonText == Array("[null]".utf8))
    }

    @Test func `lists and words stand alone too`() throws {
        #expect([1, 2].json == .array([.integer(1), .integer(2)]))
        #expect(try [Side](jsonText: #"["left","both"]"#.utf8) == [.left, .both])
        #expect(throws: JSONError.wrongKind(path: "[1]", expected: "text", found: "null")) {
            try [String](jsonText: #"["a",null]"#.utf8)
        }
        #expect(try [Int?](jsonText: "[1,null]".utf8) == [1, nil])
        #expect(String(decoding: [1, nil].jsonText, as: UTF8.self) == "[1,null]")
    }
}
