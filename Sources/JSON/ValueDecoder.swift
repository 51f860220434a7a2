/// Reads one value from its JSON form, as its type's `init(from:)` asks for it.
struct ValueDecoder: Decoder {
    let value: JSONValue

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Members<Key>(object: try value.members()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw value.mismatch("a list") }
        return Elements(values: values)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// The value of a member or an element; errors say where it stands.
    fileprivate static func read<Value: Decodable>(
        _ type: Value.Type, _ value: JSONValue, at position: String
    ) throws -> Value {
        do {
            return try Value(from: ValueDecoder(value: value))
        } catch {
            throw JSONError(error).inside(position)
        }
    }
}

extension JSONError {
    /// What a type's `init(from:)` has thrown; it is one of this module's but where the type
    /// judges a value itself.
    init(_ error: any Error) {
        self =
            error as? JSONError
            ?? .wrongKind(path: "", expected: "another value", found: "\(error)")
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let bool) = value else { throw value.mismatch("true or false") }
        return bool
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let string) = value else { throw value.mismatch("text") }
        return string
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .double(let double): return double
        case .integer(let integer): return Double(integer)
        default: throw value.mismatch("a number")
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        guard case .integer(let integer) = value else { throw value.mismatch("a whole number") }
        guard let number = Number(exactly: integer) else {
            throw JSONError.wrongKind(
                path: "", expected: "from \(Number.min) to \(Number.max)", found: "\(integer)")
        }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { object[JSONCoder.name(of: key)] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (name, value) = try member(key)
        return try ValueDecoder.read(type, value, at: name)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { ValueDecoder(value: .object(object)) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueDecoder(value: try member(key).value)
    }

    private func member(_ key: Key) throws -> (name: String, value: JSONValue) {
        let name = JSONCoder.name(of: key)
        guard let value = object[name] else { throw JSONError.missing(key: name) }
        return (name, value)
    }
}

private struct Elements: UnkeyedDecodingContainer {
    let values: [JSONValue]
    var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    mutating func decodeNil() throws -> Bool {
        guard try next() == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try ValueDecoder.read(type, try next(), at: "[\(currentIndex)]")
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let value = try next()
        currentIndex += 1
        return ValueDecoder(value: value)
    }

    private func next() throws -> JSONValue {
        guard !isAtEnd else { throw JSONError.missing(key: "[\(currentIndex)]") }
        return values[currentIndex]
    }
}
