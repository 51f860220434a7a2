/// Reads one JSON text (RFC 8259), strictly: valid UTF-8, no duplicate member, nothing after it.
struct JSONReader {
    /// Deeper nesting is refused, so that no text can exhaust the stack.
    static let greatestDepth = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else {
            throw reader.error("more follows after the end of the document")
        }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private func error(_ reason: String) -> JSONError {
        .malformed(offset: position, reason: reason)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    /// Steps over `byte` where it comes next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < Self.greatestDepth else { throw error("nested too deeply") }
        skipSpace()
        switch next {
        case nil: throw error("it ends too early")
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError)
        -> JSONValue
    {
        let end = position + word.utf8CodeUnitCount
        let matches =
            end <= bytes.count
            && word.withUTF8Buffer { [position] expected in
                expected.elementsEqual(bytes[position..<end])
            }
        guard matches else { throw error("an unknown word") }
        position = end
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if skip(UInt8(ascii: "]")) { return .array(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if skip(UInt8(ascii: "]")) { return .array(values) }
            guard skip(UInt8(ascii: ",")) else { throw error("a comma or ] was expected") }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var members: [JSONObject.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if skip(UInt8(ascii: "}")) { return .object(JSONObject(members)) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a name in quotes was expected") }
            let key = try string()
            guard keys.insert(key).inserted else { throw error("a name occurs twice") }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw error("a colon was expected") }
            members.append(.init(key: key, value: try value(depth: depth + 1)))
            skipSpace()
            if skip(UInt8(ascii: "}")) { return .object(JSONObject(members)) }
            guard skip(UInt8(ascii: ",")) else { throw error("a comma or } was expected") }
        }
    }
}

// MARK: Numbers

extension JSONReader {
    private mutating func digits() -> Int {
        let start = position
        while let byte = next, byte &- 0x30 < 10 { position += 1 }
        return position - start
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let negative = skip(UInt8(ascii: "-"))
        let first = next
        let whole = digits()
        guard whole > 0 else {
            position = start
            throw error("a value was expected")
        }
        guard whole == 1 || first != UInt8(ascii: "0") else {
            throw error("a number starts with 0")
        }
        var isInteger = true
        if skip(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { throw error("a digit was expected after the point") }
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            isInteger = false
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw error("a digit was expected in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // "-0" is a double: an integer would lose its sign.
        if isInteger, !(negative && text == "-0"), let integer = Int64(text) {
            return .integer(integer)
        }
        guard let double = Double(text), double.isFinite else {
            throw error("a number is too large")
        }
        return .double(double)
    }
}

// MARK: Strings

extension JSONReader {
    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings have no escape and need no copy of their own.
        while let byte = next, byte != 0x22, byte != 0x5C, byte >= 0x20 { position += 1 }
        if next == 0x22 {
            defer { position += 1 }
            return try text(Array(bytes[start..<position]))
        }
        var decoded = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case 0x22: return try text(decoded)
            case 0x5C: try escape(into: &decoded)
            case 0..<0x20: throw error("a control character stands in a string")
            default: decoded.append(byte)
            }
        }
        throw error("a string does not end")
    }

    private func text(_ utf8: [UInt8]) throws(JSONError) -> String {
        guard let string = String(validating: utf8, as: UTF8.self) else {
            throw error("a string is not valid UTF-8")
        }
        return string
    }

    private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error("a string does not end") }
        position += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try unit())
            if code & 0xFC00 == 0xD800, skip(0x5C), skip(UInt8(ascii: "u")) {
                let low = UInt32(try unit())
                guard low & 0xFC00 == 0xDC00 else { throw error("half a surrogate pair") }
                code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
            }
            guard let scalar = Unicode.Scalar(code) else { throw error("half a surrogate pair") }
            decoded.append(contentsOf: UTF8.encode(scalar) ?? .init())
        default: throw error("an unknown escape")
        }
    }

    /// The 16 bits of four hexadecimal digits.
    private mutating func unit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(.init(byte)).hexDigitValue else {
                throw error("four hexadecimal digits were expected")
            }
            position += 1
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}

extension JSONValue {
    /// Reads a whole JSON text.
    ///
    /// - Throws: `JSONError.malformed` for anything but exactly one value nested at most 64 deep.
    package init(text: [UInt8]) throws(JSONError) {
        let result = text.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONError) in try JSONReader.read(bytes) }
        }
        self = try result.get()
    }
}
