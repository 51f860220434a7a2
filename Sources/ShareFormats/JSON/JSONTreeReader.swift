/// Reads JSON strictly by RFC 8259: one value, valid UTF-8, no duplicate name.
package struct JSONTreeReader {
    /// How deep lists and objects may be nested.
    package static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value that `bytes` spell.
    ///
    /// - Throws: `JSONSyntaxError` with line and column; `tooLong` above `limit` bytes, before reading.
    /// - Complexity: O(bytes).
    package static func tree(of bytes: [UInt8], limit: Int) throws(JSONSyntaxError) -> JSONTree {
        var reader = JSONTreeReader(bytes)
        guard bytes.count <= limit else { throw reader.error(.tooLong(limit: limit)) }
        if let invalid = UTF8Check.firstInvalid(in: bytes) {
            reader.position = invalid
            throw reader.error(.notUTF8)
        }
        reader.skipSpace()
        let tree = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.error(.trailing) }
        return tree
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONTree {
        guard let byte = peek else { throw error(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try list()
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), 48...57: return try number()
        default: throw unexpected()
        }
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONTree {
        try enter()
        var members: [JSONMember] = []
        // Bytes, not strings: Swift calls two texts equal that differ in normalisation.
        var names: Set<[UInt8]> = []
        skipSpace()
        if skip("}") { return leave(.object([])) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw expected("a name in quotes") }
            let start = position
            let name = try text()
            guard names.insert(Array(name.utf8)).inserted else {
                position = start
                throw error(.duplicateName(name))
            }
            skipSpace()
            guard skip(":") else { throw expected("':' after the name") }
            skipSpace()
            members.append(JSONMember(name: name, value: try value()))
            skipSpace()
        } while skip(",")
        guard skip("}") else { throw expected("',' or '}'") }
        return leave(.object(members))
    }

    private mutating func list() throws(JSONSyntaxError) -> JSONTree {
        try enter()
        var elements: [JSONTree] = []
        skipSpace()
        if skip("]") { return leave(.list([])) }
        repeat {
            skipSpace()
            elements.append(try value())
            skipSpace()
        } while skip(",")
        guard skip("]") else { throw expected("',' or ']'") }
        return leave(.list(elements))
    }

    private mutating func word(_ word: String, _ tree: JSONTree) throws(JSONSyntaxError) -> JSONTree
    {
        guard bytes[position...].starts(with: word.utf8) else { throw unexpected() }
        position += word.utf8.count
        return tree
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONTree {
        let start = position
        var isWhole = true
        skip("-")
        if !skip("0") { try digits() }
        if skip(".") {
            isWhole = false
            try digits()
        }
        if skip("e") || skip("E") {
            isWhole = false
            if !skip("+") { skip("-") }
            try digits()
        }
        if let byte = peek, (48...57).contains(byte) { throw error(.badNumber) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let whole = Int64(text) { return .integer(whole) }
        guard !isWhole, let value = Double(text), value.isFinite else {
            position = start
            throw error(.numberOutOfRange)
        }
        return .decimal(value)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = peek, (48...57).contains(byte) { position += 1 }
        guard position > start else { throw error(peek == nil ? .unexpectedEnd : .badNumber) }
    }

    private mutating func text() throws(JSONSyntaxError) -> String {
        position += 1
        var output: [UInt8] = []
        while true {
            let start = position
            while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""),
                byte != UInt8(ascii: "\\")
            {
                position += 1
            }
            output += bytes[start..<position]
            guard let byte = peek else { throw error(.unexpectedEnd) }
            if byte < 0x20 { throw error(.controlCharacter) }
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: output, as: UTF8.self) }
            output += try escape()
        }
    }

    /// The UTF-8 of the escape whose backslash has just been read.
    private mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
        guard let byte = peek else { throw error(.unexpectedEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = try fourDigits()
            if (0xd800..<0xdc00).contains(code) {
                guard skip("\\"), skip("u") else { throw error(.badEscape) }
                let low = try fourDigits()
                guard (0xdc00..<0xe000).contains(low) else { throw error(.badEscape) }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw error(.badEscape) }
            return Array(UTF8.encode(scalar).map(Array.init) ?? [])
        default:
            position -= 1
            throw error(.badEscape)
        }
    }

    private mutating func fourDigits() throws(JSONSyntaxError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw error(.unexpectedEnd) }
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue,
                bytes[position] < 0x80
            else { throw error(.badEscape) }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    private mutating func enter() throws(JSONSyntaxError) {
        guard depth < JSONTreeReader.maximumDepth else {
            throw error(.tooDeep(limit: JSONTreeReader.maximumDepth))
        }
        depth += 1
        position += 1
    }

    private mutating func leave(_ tree: JSONTree) -> JSONTree {
        depth -= 1
        return tree
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    @discardableResult
    private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: sign) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    private func expected(_ what: String) -> JSONSyntaxError {
        error(peek == nil ? .unexpectedEnd : .expected(what))
    }

    private func unexpected() -> JSONSyntaxError {
        let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        return error(rest.first.map { .unexpected($0) } ?? .unexpectedEnd)
    }

    private func error(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == 0x0a } + 1
        let column = before.count - (before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0) + 1
        return JSONSyntaxError(line: line, column: column, reason: reason)
    }
}
