import ShareCore
import Testing

@testable import ShareFormats

struct JSONTests {
    private func tree(_ text: String) throws(JSONSyntaxError) -> JSONTree {
        try JSONTreeReader.tree(of: text.octets, limit: 1_000_000)
    }

    private func written(_ tree: JSONTree) -> String {
        var output = JSONOutput()
        output.tree(tree)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test func `whole numbers and others are kept apart and members keep their order`() throws {
        let tree = try tree(#" {"b":1,"a":[-9223372036854775808,1.0,1e2,-0,true,null,"x"]} "#)
        #expect(
            tree
                == .object([
                    JSONMember(name: "b", value: .integer(1)),
                    JSONMember(
                        name: "a",
                        value: .list([
                            .integer(.min), .decimal(1), .decimal(100), .integer(0), .bool(true),
                            .null, .text("x"),
                        ])),
                ]))
    }

    @Test func `every escape is understood`() throws {
        let text = try tree(#""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83e\udd8b\u0000""#)
        #expect(text.text?.octets == "\"\\/\u{8}\u{c}\n\r\tAé🦋\u{0}".octets)
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text ends too early"),
        ("{\"a\":1,\n \"a\":2}", "line 2, column 2: the name \"a\" a second time in one object"),
        ("[1,]", "line 1, column 4: did not expect ']' here"),
        ("[1 2]", "line 1, column 4: expected ',' or ']'"),
        ("{a:1}", "line 1, column 2: expected a name in quotes"),
        ("{\"a\" 1}", "line 1, column 6: expected ':' after the name"),
        ("01", "line 1, column 2: not a number as JSON writes them"),
        ("1.", "line 1, column 3: the text ends too early"),
        ("[.5]", "line 1, column 2: did not expect '.' here"),
        ("+1", "line 1, column 1: did not expect '+' here"),
        ("1e999", "line 1, column 1: a number beyond what 64 bits hold"),
        ("9223372036854775808", "line 1, column 1: a number beyond what 64 bits hold"),
        ("\"a\nb\"", "line 1, column 3: a control character in a text; write it as \\u00XX"),
        ("\"\\x\"", "line 1, column 3: not an escape that JSON knows"),
        ("\"\\ud800\"", "line 1, column 8: not an escape that JSON knows"),
        ("\"\\udc00\"", "line 1, column 8: not an escape that JSON knows"),
        ("nul", "line 1, column 1: did not expect 'n' here"),
        ("1 1", "line 1, column 3: something after the end of the value"),
        ("\"abc", "line 1, column 5: the text ends too early"),
        ("NaN", "line 1, column 1: did not expect 'N' here"),
    ])
    func `bad JSON is refused with its place`(text: String, message: String) {
        #expect {
            try tree(text)
        } throws: {
            String(describing: $0) == message
        }
    }

    @Test func `depth and size and encoding have bounds`() throws {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        _ = try tree(deep(64))
        #expect(throws: JSONSyntaxError.self) { try tree(deep(65)) }
        #expect(throws: JSONSyntaxError.self) { try tree(String(repeating: "[", count: 99_999)) }
        #expect(throws: JSONSyntaxError.self) {
            try JSONTreeReader.tree(of: [0x30, 0x20], limit: 1)
        }
        for bytes: [UInt8] in [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82],
        ] {
            #expect(throws: JSONSyntaxError.self) {
                try JSONTreeReader.tree(of: [0x22] + bytes + [0x22], limit: 100)
            }
        }
    }

    @Test func `names that differ in normalisation are two names`() throws {
        #expect(try tree("{\"é\":1,\"e\u{301}\":2}").members?.count == 2)
    }

    @Test func `what is written reads back the same`() throws {
        var seed = Seed("json")
        for _ in 0..<500 {
            let tree = JSONTree.list([
                .text(seed.text(12)), .integer(Int64.random(in: .min ... .max, using: &seed)),
                .decimal(Double(bitPattern: seed.next()).finite),
                .object([JSONMember(name: seed.text(5), value: .decimal(0.1))]),
            ])
            let text = written(tree)
            #expect(written(try self.tree(text)).octets == text.octets)
            #expect(try self.tree(text) == tree)
        }
    }

    @Test func `a record is one object with null for what is absent`() throws {
        let record = RecordJSON(names: ["_id", "a \"b\"", "c", "d"])
        var output = JSONOutput()
        record.append([.text("x\u{1}"), .absent, .integer(-7), .decimal(70)], to: &output)
        #expect(
            String(decoding: output.bytes, as: UTF8.self)
                == #"{"_id":"x\u0001","a \"b\"":null,"c":-7,"d":70.0}"#)
    }

    @Test func `bytes are judged as UTF-8 as the standard library does`() {
        var seed = Seed("utf8")
        for _ in 0..<2_000 {
            var bytes = seed.text(4).octets
            if !bytes.isEmpty, Bool.random(using: &seed) {
                bytes[Int.random(in: bytes.indices, using: &seed)] = UInt8.random(
                    in: 0...255, using: &seed)
            }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((UTF8Check.firstInvalid(in: bytes) == nil) == isValid, "\(bytes)")
        }
    }
}

extension Double {
    fileprivate var finite: Double { isFinite ? self : 0.1 }
}
