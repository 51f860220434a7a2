import JSON
import Testing

@Suite struct JSONTests {
    private func read(_ text: String) throws -> JSONValue { try JSONValue(text: Array(text.utf8)) }

    private func write(_ value: JSONValue) -> String { String(decoding: value.text, as: UTF8.self) }

    @Test(arguments: [
        "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.5",
        "-0.0", "5e-324", "1.7976931348623157e+308", "0.1", #""""#, #""a\"\\\n\u0000\u007fü🦋""#,
        "[]", "{}", #"{"b":1,"a":[2.0,{"c":null}]}"#,
    ])
    func `a text in its shortest form is read and written unchanged`(text: String) throws {
        #expect(try write(read(text)) == text)
    }

    @Test func `whole numbers stay whole and decimals stay decimal`() throws {
        #expect(try read("70") == .integer(70))
        #expect(try read("70.0") == .double(70))
        #expect(try read("7e1") == .double(70))
        #expect(try read("-9223372036854775808") == .integer(.min))
        #expect(try read("9223372036854775808.0") == .double(9_223_372_036_854_775_808))
        #expect(try read("-0") == .integer(0))
        #expect(try write(read("-0e0")) == "-0.0")
        #expect(write(.double(70)) == "70.0")
        #expect(write(.double(.nan)) == "null")
        #expect(write(.double(.infinity)) == "null")
    }

    @Test func `escapes stand for their characters`() throws {
        #expect(
            try read(#""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83e\udd8b\u0000""#)
                == .string("\"\\/\u{8}\u{c}\n\r\tA\u{e9}🦋\u{0}"))
    }

    @Test func `names and texts are told apart by their bytes`() throws {
        let value = try read("{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(value.object?["\u{e9}"] == .integer(1))
        #expect(value.object?["e\u{301}"] == .integer(2))
        #expect(value.text.elementsEqual("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
        #expect(try read("\"\u{e9}\"") != read("\"e\u{301}\""))
        #expect(try read("{\"\u{e9}\":1}") != read("{\"e\u{301}\":1}"))
    }

    @Test(arguments: [2, 15, 16, 17, 18, 40])
    func `a name that stands twice is refused among few and among many`(count: Int) throws {
        let names = (0..<count).map { "\"n\($0)\":0" }
        _ = try read("{\(names.joined(separator: ","))}")
        for again in [0, count - 1] {
            let text = "{\((names + ["\"\\u006e\(again)\":0"]).joined(separator: ","))}"
            #expect {
                try read(text)
            } throws: {
                "\($0)".hasSuffix(": the name \"n\(again)\" a second time in one object")
            }
        }
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text ends too early"),
        (" ", "line 1, column 2: the text ends too early"),
        ("{\"a\":1,\n \"a\":2}", "line 2, column 2: the name \"a\" a second time in one object"),
        ("[1,]", "line 1, column 4: did not expect ']' here"),
        ("[1 2]", "line 1, column 4: expected ',' or ']'"),
        ("[1]]", "line 1, column 4: something after the end of the value"),
        ("[", "line 1, column 2: the text ends too early"),
        ("{", "line 1, column 2: the text ends too early"),
        ("{a:1}", "line 1, column 2: expected a name in quotes"),
        ("{\"a\":1,}", "line 1, column 8: expected a name in quotes"),
        ("{\"a\" 1}", "line 1, column 6: expected ':' after the name"),
        ("01", "line 1, column 2: not a number as JSON writes them"),
        ("-01", "line 1, column 3: not a number as JSON writes them"),
        ("1.", "line 1, column 3: the text ends too early"),
        ("1e", "line 1, column 3: the text ends too early"),
        ("-", "line 1, column 2: the text ends too early"),
        ("-x", "line 1, column 2: not a number as JSON writes them"),
        ("[.5]", "line 1, column 2: did not expect '.' here"),
        ("+1", "line 1, column 1: did not expect '+' here"),
        ("1e999", "line 1, column 1: a number beyond what 64 bits hold"),
        ("9223372036854775808", "line 1, column 1: a number beyond what 64 bits hold"),
        ("-9223372036854775809", "line 1, column 1: a number beyond what 64 bits hold"),
        ("\"a\nb\"", "line 1, column 3: a control character in a text; write it as \\u00XX"),
        ("\"\\x\"", "line 1, column 3: not an escape that JSON knows"),
        ("\"\\u00g0\"", "line 1, column 6: not an escape that JSON knows"),
        ("\"\\ud800\"", "line 1, column 8: not an escape that JSON knows"),
        ("\"\\udc00\"", "line 1, column 8: not an escape that JSON knows"),
        ("\"\\ud83e\\u0041\"", "line 1, column 14: not an escape that JSON knows"),
        ("nul", "line 1, column 1: did not expect 'n' here"),
        ("truefalse", "line 1, column 5: something after the end of the value"),
        ("1 1", "line 1, column 3: something after the end of the value"),
        ("\"abc", "line 1, column 5: the text ends too early"),
        ("NaN", "line 1, column 1: did not expect 'N' here"),
        ("(1)", "line 1, column 1: did not expect '(' here"),
        ("\u{feff}1", "line 1, column 1: did not expect '\u{feff}' here"),
    ])
    func `what is not JSON is refused with its place`(text: String, message: String) {
        #expect {
            try read(text)
        } throws: {
            "\($0)" == "not JSON at \(message)"
        }
    }

    @Test func `bytes that are not UTF-8 are refused with their place`() {
        for bytes: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
        ] {
            for before: [UInt8] in [[0x61], Array("\\n".utf8)] {
                let text = [0x0A, 0x22] + before + bytes + [0x22]
                let column = before.count + 2
                #expect(throws: JSONError.malformed(line: 2, column: column, .notUTF8)) {
                    try JSONValue(text: text)
                }
            }
        }
    }

    @Test func `a text above the limit is not read`() throws {
        _ = try JSONValue(text: [0x30, 0x20], limit: 2)
        #expect(throws: JSONError.malformed(line: 1, column: 1, .tooLong(limit: 1))) {
            try JSONValue(text: [0x30, 0x20], limit: 1)
        }
    }

    @Test func `nesting has a bound`() throws {
        let deep = String(repeating: "[", count: 64) + "0" + String(repeating: "]", count: 64)
        _ = try read(deep)
        #expect(throws: JSONError.malformed(line: 1, column: 65, .tooDeep(limit: 64))) {
            try read("[\(deep)]")
        }
        #expect(throws: JSONError.self) { try read(String(repeating: "[", count: 1_000_000)) }
    }

    @Test func `any text cut anywhere is refused or read, and never a trap`() throws {
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9\ud83e\udd8b",true,null],"b":{"c":"ü"}}"#.utf8)
        let whole = try JSONValue(text: text)
        for end in text.indices {
            #expect(throws: JSONError.self) { try JSONValue(text: Array(text[..<end])) }
        }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                // Only that it comes back matters here.
                _ = try? JSONValue(text: changed)
            }
        }
        #expect(try JSONValue(text: whole.text) == whole)
    }

    @Test func `random values survive writing and reading`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(state: seed)
        for _ in 0..<500 {
            let value = random.value(depth: 0)
            #expect(try JSONValue(text: value.text) == value, "seed \(seed)")
        }
    }

    @Test func `a list is split into its elements wherever it is cut`() throws {
        let text = Array(" [ {\"a\":\"],\\\"[\"} , [1,[2]] ,\n3,\"x\\\\\" ] ".utf8)
        let expected = [#"{"a":"],\"["}"#, "[1,[2]]", "3", #""x\\""#]
        for size in 1...text.count {
            var splitter = JSONArraySplitter()
            var elements: [String] = []
            var rest = text[...]
            while !rest.isEmpty {
                try Array(rest.prefix(size)).withUnsafeBytes { bytes in
                    try splitter.append(bytes) {
                        elements.append(String(decoding: $0, as: UTF8.self))
                    }
                }
                rest = rest.dropFirst(size)
            }
            #expect(elements == expected)
            #expect(splitter.isComplete)
        }
    }

    @Test func `what white space separates stays apart`() throws {
        var splitter = JSONArraySplitter()
        var elements: [String] = []
        try Array("[ {\"a\": 3 5} , 1 2,\n[ ] ]".utf8).withUnsafeBytes { bytes in
            try splitter.append(bytes) { elements.append(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(elements == ["{\"a\": 3 5}", "1 2", "[ ]"])
    }

    @Test(arguments: ["{}", "[1]2", "x", "[1]]", "[1,,2]", "[1,]", "[,1]", "[,]"])
    func `what is not a list is not split`(text: String) {
        var splitter = JSONArraySplitter()
        #expect(throws: JSONError.self) {
            try Array(text.utf8).withUnsafeBytes { try splitter.append($0) { _ in } }
        }
    }
}

/// SplitMix64, and values made from it.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth < 4 ? 6 : 4), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .integer(Int64.random(in: Int64.min...Int64.max, using: &self))
        case 3:
            let double = Double(bitPattern: next())
            return double.isFinite ? .double(double) : .null
        case 4: return .string(text())
        case 5:
            return .array(
                (0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth + 1) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...4, using: &self) {
                object[text()] = value(depth: depth + 1)
            }
            return .object(object)
        }
    }

    private mutating func text() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...6, using: &self) {
            let limit: UInt32 = Bool.random(using: &self) ? 0x80 : 0x11_0000
            let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self))
            text.unicodeScalars.append(scalar ?? "?")
        }
        return text
    }
}
