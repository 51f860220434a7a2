/// Reads one JSON text strictly by RFC 8259: one value in valid UTF-8, no name twice in an object.
///
/// A whole number is exact and fits 64 bits with its sign, or is refused: none is rounded. `-0` is
/// the whole number 0. A number with fraction or exponent becomes the nearest double, and is
/// refused where that is not finite. Names are told apart by their bytes.
package struct JSONReader {
    /// The most lists and objects that may lie inside each other, so that no text can exhaust the
    /// stack.
    package static let greatestDepth = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0

    static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, limit: Int
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes)
        guard bytes.count <= limit else { throw reader.error(.tooLong(limit: limit)) }
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.error(.trailing) }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    /// Steps over `sign` where it comes next.
    @discardableResult
    private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case .some(0x2D), .some(0x30...0x39): return try number()
        default: throw unexpected()
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let matches =
            end <= bytes.count
            && word.withUTF8Buffer { [position] expected in
                expected.elementsEqual(bytes[position..<end])
            }
        guard matches else { throw unexpected() }
        position = end
        return value
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try enter()
        defer { depth -= 1 }
        var values: [JSONValue] = []
        skipSpace()
        if skip("]") { return values }
        repeat {
            skipSpace()
            values.append(try value())
            skipSpace()
        } while skip(",")
        guard skip("]") else { throw expected("',' or ']'") }
        return values
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try enter()
        defer { depth -= 1 }
        var members: [JSONObject.Member] = []
        var names = Names()
        skipSpace()
        if skip("}") { return JSONObject() }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw expected("a name in quotes") }
            let start = position
            let name = try string()
            guard names.isNew(name, beside: members) else {
                position = start
                throw error(.duplicateName(name))
            }
            skipSpace()
            guard skip(":") else { throw expected("':' after the name") }
            skipSpace()
            members.append(JSONObject.Member(key: name, value: try value()))
            skipSpace()
        } while skip(",")
        guard skip("}") else { throw expected("',' or '}'") }
        return JSONObject(members)
    }

    private mutating func enter() throws(JSONError) {
        guard depth < JSONReader.greatestDepth else {
            throw error(.tooDeep(limit: JSONReader.greatestDepth))
        }
        depth += 1
        position += 1
    }

    private func expected(_ wanted: String) -> JSONError {
        error(next == nil ? .unexpectedEnd : .expected(wanted))
    }

    private func unexpected() -> JSONError {
        let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        return error(rest.first.map { .unexpected($0) } ?? .unexpectedEnd)
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return .malformed(line: line, column: column, reason)
    }
}

/// The names of one object so far. Few are compared one by one, many are looked up, so that no
/// object takes quadratic time.
private struct Names {
    private static let few = 16

    private var all: Set<[UInt8]> = []

    /// Whether no member has this name, by its bytes; remembers it.
    mutating func isNew(_ name: String, beside members: [JSONObject.Member]) -> Bool {
        guard members.count >= Names.few else {
            return !members.contains { $0.key.hasBytes(of: name) }
        }
        if all.isEmpty { all = Set(members.map { Array($0.key.utf8) }) }
        return all.insert(Array(name.utf8)).inserted
    }
}

// MARK: Numbers

extension JSONReader {
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = skip("-")
        if !skip("0") { try digits() }
        let whole = position
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { skip("-") }
            try digits()
        }
        if let byte = next, byte &- 0x30 < 10 { throw error(.badNumber) }
        if position == whole {
            var value: Int64 = 0
            var overflows = false
            for byte in bytes[(isNegative ? start + 1 : start)..<whole] {
                let (tenfold, first) = value.multipliedReportingOverflow(by: 10)
                let digit = Int64(byte &- 0x30)
                let (sum, second) =
                    isNegative
                    ? tenfold.subtractingReportingOverflow(digit)
                    : tenfold.addingReportingOverflow(digit)
                overflows = overflows || first || second
                value = sum
            }
            if !overflows { return .integer(value) }
        } else if let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)),
            value.isFinite
        {
            return .double(value)
        }
        position = start
        throw error(.numberOutOfRange)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, byte &- 0x30 < 10 { position += 1 }
        guard position > start else { throw error(next == nil ? .unexpectedEnd : .badNumber) }
    }
}

// MARK: Strings

extension JSONReader {
    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        skipPlain()
        // Most strings have no escape and need no bytes of their own.
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try text(start..<position)
        }
        var decoded: [UInt8] = []
        var plain = start
        while let byte = next {
            decoded += bytes[try checked(plain..<position)]
            if byte < 0x20 { throw error(.controlCharacter) }
            position += 1
            // Each run between escapes is valid by itself, and each escape is.
            if byte == UInt8(ascii: "\"") { return String(decoding: decoded, as: UTF8.self) }
            try escape(into: &decoded)
            plain = position
            skipPlain()
        }
        throw error(.unexpectedEnd)
    }

    /// Steps over bytes that stand for themselves in a string.
    private mutating func skipPlain() {
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\")
        {
            position += 1
        }
    }

    private mutating func text(_ range: Range<Int>) throws(JSONError) -> String {
        let span = UnsafeBufferPointer(rebasing: bytes[range]).span
        do {
            return String(copying: try UTF8Span(validating: span))
        } catch {
            throw notUTF8(at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    private mutating func checked(_ range: Range<Int>) throws(JSONError) -> Range<Int> {
        let span = UnsafeBufferPointer(rebasing: bytes[range]).span
        do {
            _ = try UTF8Span(validating: span)
        } catch {
            throw notUTF8(at: range.lowerBound + error.byteOffsets.lowerBound)
        }
        return range
    }

    private mutating func notUTF8(at offset: Int) -> JSONError {
        position = offset
        return error(.notUTF8)
    }

    /// Appends the UTF-8 of the escape whose backslash has just been read.
    private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error(.unexpectedEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            var code = try fourDigits()
            if code & 0xFC00 == 0xD800 {
                guard skip("\\"), skip("u") else { throw error(.badEscape) }
                let low = try fourDigits()
                guard low & 0xFC00 == 0xDC00 else { throw error(.badEscape) }
                code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
            }
            guard let scalar = Unicode.Scalar(code) else { throw error(.badEscape) }
            decoded.append(contentsOf: UTF8.encode(scalar) ?? .init())
        default:
            position -= 1
            throw error(.badEscape)
        }
    }

    /// The 16 bits of four hexadecimal digits.
    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw error(.unexpectedEnd) }
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(.badEscape)
            }
            position += 1
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}

extension JSONValue {
    /// Reads a whole JSON text (`JSONReader` says which) of at most `limit` bytes.
    ///
    /// - Throws: `JSONError.malformed`.
    package init(text: [UInt8], limit: Int = .max) throws(JSONError) {
        let result = text.withUnsafeBufferPointer { bytes in
            Result { () throws(JSONError) in try JSONReader.read(bytes, limit: limit) }
        }
        self = try result.get()
    }
}
