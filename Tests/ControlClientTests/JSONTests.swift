import ShareControl
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
        #expect(try read("9223372036854775808") == .double(9_223_372_036_854_775_808))
        #expect(try read("-0") == .double(-0.0))
        #expect(write(.double(70)) == "70.0")
        #expect(write(.double(.nan)) == "null")
        #expect(write(.double(.infinity)) == "null")
    }

    @Test func `escapes stand for their characters`() throws {
        #expect(try read(#""\u0041\/\ud83e\udd8b\t""#) == .string("A/🦋\t"))
    }

    @Test(arguments: [
        "", " ", "nul", "truefalse", "01", "1.", ".5", "+1", "1e", "-", "1e999", "NaN", "'a'",
        #""a"#, #""\x""#, #""\ud800""#, #""\ud83e\u0041""#, #""\u00g0""#, "\"\n\"", "[1,]", "[1 2]",
        "[", "{", #"{"a"}"#, #"{"a":1,}"#, #"{"a":1,"a":2}"#, "{a:1}", "1 2", "[1]]",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        ] {
            #expect(throws: JSONError.self) { try JSONValue(text: bytes) }
        }
    }

    @Test func `nesting has a bound`() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        _ = try read(deep)
        #expect(throws: JSONError.self) { try read("[\(deep)]") }
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

    @Test(arguments: ["{}", "[1]2", "x", "[1]]"])
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
