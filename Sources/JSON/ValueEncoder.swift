/// Writes the JSON text of one value while its type's `encode(to:)` says what is in it.
///
/// Each member stands in the text as soon as it is said, and none is put in order later. So a type
/// says its members one after the other and no container within another one, as all do that have
/// their `encode(to:)` from the compiler.
struct ValueEncoder: Encoder {
    private let text: Text

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func text(of value: some Encodable) throws -> [UInt8] {
        let text = Text()
        try text.write(value)
        return text.writer.bytes
    }

    fileprivate init(_ text: Text) { self.text = text }

    /// Says the whole value at once.
    func set(_ value: JSONValue) { text.whole { $0.value(value) } }
    func set(_ value: some JSONWritable) { text.whole { value.write(to: &$0) } }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        text.begin(.object)
        return KeyedEncodingContainer(Members<Key>(text: text))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        text.begin(.list)
        return Elements(text: text)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// The text that is being written. Containers are values that write on after they were handed
/// out, so they share it.
private final class Text {
    /// The kind of what was said of a value so far.
    enum Said { case nothing, whole, object, list }

    var writer = JSONWriter()
    /// Members or elements of the value that is being said.
    private(set) var count = 0
    private var said = Said.nothing

    /// Writes a value within the one that is being said, and to its end.
    func write(_ value: some Encodable) throws {
        let outer = (said, count)
        said = .nothing
        count = 0
        try value.encode(to: ValueEncoder(self))
        switch said {
        case .nothing: writer.null()
        case .whole: break
        case .object: writer.raw("}")
        case .list: writer.raw("]")
        }
        (said, count) = outer
    }

    /// Begins an object or a list, or goes on with it: a type may ask for its container twice.
    func begin(_ kind: Said) {
        guard said == .nothing else { return }
        said = kind
        writer.raw(kind == .object ? "{" : "[")
    }

    func whole(_ write: (inout JSONWriter) -> Void) {
        said = .whole
        write(&writer)
    }

    /// Begins the next element.
    func next() {
        if count > 0 { writer.raw(",") }
        count += 1
    }

    /// Begins the member of a key.
    func next(_ key: some CodingKey) {
        next()
        JSONCoder.write(key.stringValue, to: &writer)
        writer.raw(":")
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { text.whole { $0.null() } }
    func encode(_ value: Bool) { text.whole { $0.bool(value) } }
    func encode(_ value: String) { text.whole { $0.text(value) } }
    func encode(_ value: Double) { text.whole { $0.decimal(value) } }
    func encode(_ value: Float) { encode(Double(value)) }

    func encode(_ value: some FixedWidthInteger & Encodable) throws {
        guard let integer = Int64(exactly: value) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "it does not fit 64 bits"))
        }
        text.whole { $0.integer(integer) }
    }

    func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let text: Text

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        text.next(key)
        text.writer.null()
    }

    func encode(_ value: Bool, forKey key: Key) {
        text.next(key)
        text.writer.bool(value)
    }

    func encode(_ value: String, forKey key: Key) {
        text.next(key)
        text.writer.text(value)
    }

    func encode(_ value: Int, forKey key: Key) {
        text.next(key)
        text.writer.integer(Int64(value))
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        text.next(key)
        try text.write(value)
    }

    /// An absent value is said too: readers can rely on the member.
    private func say(_ value: (some Encodable)?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
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
    ) -> KeyedEncodingContainer<Nested> { noContainerWithin() }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        noContainerWithin()
    }
    func superEncoder() -> any Encoder { noContainerWithin() }
    func superEncoder(forKey key: Key) -> any Encoder { noContainerWithin() }
}

private struct Elements: UnkeyedEncodingContainer {
    let text: Text

    var codingPath: [any CodingKey] { [] }
    var count: Int { text.count }

    func encodeNil() {
        text.next()
        text.writer.null()
    }

    func encode(_ value: some Encodable) throws {
        text.next()
        try text.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { noContainerWithin() }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { noContainerWithin() }
    func superEncoder() -> any Encoder { noContainerWithin() }
}

/// Where such a container ends is never said, so its text could not be closed.
private func noContainerWithin() -> Never {
    preconditionFailure("a type says a container within another one")
}
