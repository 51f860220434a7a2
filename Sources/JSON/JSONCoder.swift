/// `Codable` values as JSON: members in the order in which the type says them, an absent value as
/// null, unknown members passed over, and names by one rule.
///
/// The rule (`JSONCoder.name`): a property `usesLeft` is the member `uses_left`, and `isOpen` is
/// `open`. A type whose member has another name says so in its `CodingKeys`.
package enum JSONCoder {
    /// The name of a member in JSON: a leading `is` goes, and words are joined by `_`.
    static func name(of key: some CodingKey) -> String {
        var whole = key.stringValue
        return whole.withUTF8 { utf8 in
            withName(of: utf8) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Writes the name of the member of `key`.
    static func write(_ key: String, to writer: inout JSONWriter) {
        var key = key
        key.withUTF8 { utf8 in withName(of: utf8) { writer.text(utf8: $0) } }
    }

    /// Hands out the bytes of a member's name. An answer has thousands, so none is a text of its
    /// own on the way.
    private static func withName<Result>(
        of key: UnsafeBufferPointer<UInt8>, _ use: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        guard key.contains(where: { isUpper($0) }) else { return use(key) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * key.count) { buffer in
            var rest = key[...]
            let word = rest.dropFirst(2)
            if rest.starts(with: "is".utf8), let first = word.first, isUpper(first) { rest = word }
            var count = 0
            var previous = UInt8(ascii: "_")
            for byte in rest {
                if isUpper(byte) && !isUpper(previous) && previous != UInt8(ascii: "_") {
                    buffer[count] = UInt8(ascii: "_")
                    count += 1
                }
                buffer[count] = isUpper(byte) ? byte | 0x20 : byte
                count += 1
                previous = byte
            }
            return use(UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}

extension Encodable {
    /// The JSON form as UTF-8, without line breaks; the same value has always the same one.
    package var jsonText: [UInt8] {
        do {
            return try ValueEncoder.text(of: self)
        } catch {
            // Only a type's own `encode(to:)` could throw, and none of this program's does.
            preconditionFailure("\(Self.self) has no JSON form: \(error)")
        }
    }

    /// The JSON form as a value, read from its text: for small values.
    package var json: JSONValue {
        do {
            return try JSONValue(text: jsonText)
        } catch {
            preconditionFailure("\(Self.self) has no JSON form: \(error)")
        }
    }
}

extension Decodable {
    /// Reads a value from its JSON form.
    ///
    /// - Throws: `JSONError.missing` or `JSONError.wrongKind`; unknown members are passed over, so
    ///   that a newer program may say more.
    package init(json: JSONValue) throws(JSONError) {
        do {
            self = try Self(from: ValueDecoder(value: json))
        } catch {
            throw JSONError(error)
        }
    }

    /// Reads a value from a whole JSON text.
    package init(jsonText: some Sequence<UInt8>) throws(JSONError) {
        try self.init(json: JSONValue(text: Array(jsonText)))
    }
}

/// A closed set of words. One that is not in the set is refused with the words that are.
package protocol JSONWord: RawRepresentable<String>, CaseIterable, Codable {}

extension JSONWord {
    package init(from decoder: any Decoder) throws {
        let word = try String(from: decoder)
        guard let value = Self(rawValue: word) else {
            let words = Self.allCases.map(\.rawValue)
            let wanted = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
            throw JSONError.wrongKind(path: "", expected: wanted, found: "\"\(word.prefix(40))\"")
        }
        self = value
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueDecoder else { throw notThisCoder(decoder.codingPath) }
        self = decoder.value
    }

    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else { throw notThisCoder(encoder.codingPath) }
        encoder.set(self)
    }

    /// The members of what must be an object.
    ///
    /// - Throws: `JSONError.wrongKind`.
    package func members() throws(JSONError) -> JSONObject {
        guard case .object(let object) = self else { throw mismatch("an object") }
        return object
    }

    func mismatch(_ expected: String) -> JSONError {
        .wrongKind(path: "", expected: expected, found: kind)
    }
}

extension JSONObject: Codable {
    package init(from decoder: any Decoder) throws {
        self = try JSONValue(from: decoder).members()
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}

/// A value that is any JSON can be read and written by this module's coder alone.
func notThisCoder(_ path: [any CodingKey]) -> any Error {
    DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "JSONValue is no type for another coder"))
}
