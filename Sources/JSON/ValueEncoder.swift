/// Builds the JSON form of one value from what its type's `encode(to:)` says.
struct ValueEncoder: Encoder {
    private let form: Form

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func value(of value: some Encodable) throws -> JSONValue {
        let form = Form()
        try value.encode(to: ValueEncoder(form))
        return form.value
    }

    fileprivate init(_ form: Form) { self.form = form }

    /// Says the whole value at once.
    func set(_ value: JSONValue) { form.whole = value }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(form))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(form) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// The JSON form of one value as far as it was said. Containers are values that write on after
/// they were handed out, so they share it.
private final class Form {
    var whole = JSONValue.null
    private var members: [(name: String, form: Form)]?
    private var elements: [Form]?

    init(_ whole: JSONValue = .null) { self.whole = whole }

    var count: Int { elements?.count ?? 0 }

    var value: JSONValue {
        if let members {
            return .object(JSONObject(members.map { .init(key: $0.name, value: $0.form.value) }))
        }
        return elements.map { .array($0.map(\.value)) } ?? whole
    }

    func beginObject() { members = members ?? [] }
    func beginArray() { elements = elements ?? [] }
    func append(_ form: Form, as key: some CodingKey) {
        members?.append((JSONCoder.name(of: key), form))
    }
    func append(_ form: Form) { elements?.append(form) }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { set(.null) }
    func encode(_ value: Bool) { set(.bool(value)) }
    func encode(_ value: String) { set(.string(value)) }
    func encode(_ value: Double) { set(.double(value)) }
    func encode(_ value: Float) { set(.double(Double(value))) }

    func encode(_ value: some FixedWidthInteger & Encodable) throws {
        guard let integer = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "it does not fit 64 bits"))
        }
        set(.integer(integer))
    }

    func encode(_ value: some Encodable) throws { set(try ValueEncoder.value(of: value)) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let form: Form

    var codingPath: [any CodingKey] { [] }

    init(_ form: Form) {
        self.form = form
        form.beginObject()
    }

    func encodeNil(forKey key: Key) { form.append(Form(), as: key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        form.append(Form(try ValueEncoder.value(of: value)), as: key)
    }

    /// An absent value is said too: readers can rely on the member.
    private func say(_ value: (some Encodable)?, _ key: Key) throws {
        form.append(Form(try value.map { try ValueEncoder.value(of: $0) } ?? .null), as: key)
    }

    // One for each, as the protocol has a body of its own for each, which says nothing.
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try say(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try say(value, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        inside(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        inside(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(form) }
    func superEncoder(forKey key: Key) -> any Encoder { inside(key) }

    private func inside(_ key: Key) -> ValueEncoder {
        let inner = Form()
        form.append(inner, as: key)
        return ValueEncoder(inner)
    }
}

private struct Elements: UnkeyedEncodingContainer {
    let form: Form

    var codingPath: [any CodingKey] { [] }
    var count: Int { form.count }

    init(_ form: Form) {
        self.form = form
        form.beginArray()
    }

    func encodeNil() { form.append(Form()) }

    func encode(_ value: some Encodable) throws {
        form.append(Form(try ValueEncoder.value(of: value)))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        inside().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inside().unkeyedContainer() }
    func superEncoder() -> any Encoder { inside() }

    private func inside() -> ValueEncoder {
        let inner = Form()
        form.append(inner)
        return ValueEncoder(inner)
    }
}
