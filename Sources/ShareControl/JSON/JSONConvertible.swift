package import JSON

/// A value that has exactly one JSON form, which reads back as an equal value.
package protocol JSONConvertible: Hashable, Sendable {
    /// - Throws: `JSONError.missing` or `JSONError.wrongKind`; unknown members are passed over, so
    ///   that a newer daemon may say more.
    init(json: JSONValue) throws(JSONError)

    /// The JSON form, its members always in the same order.
    var json: JSONValue { get }
}

extension JSONConvertible {
    /// Reads a whole JSON text.
    package init(jsonText: some Sequence<UInt8>) throws(JSONError) {
        try self.init(json: JSONValue(text: Array(jsonText)))
    }

    /// The JSON form as UTF-8, without line breaks.
    package var jsonText: [UInt8] { json.text }
}

extension JSONValue: JSONConvertible {
    package init(json: JSONValue) { self = json }
    package var json: JSONValue { self }

    /// The members of what must be an object.
    package func members() throws(JSONError) -> JSONObject {
        guard case .object(let object) = self else { throw mismatch("an object") }
        return object
    }

    func mismatch(_ expected: String) -> JSONError {
        .wrongKind(path: "", expected: expected, found: kind)
    }
}

extension JSONObject: JSONConvertible {
    package init(json: JSONValue) throws(JSONError) { self = try json.members() }
    package var json: JSONValue { .object(self) }

    /// The member `key` as `Value`.
    ///
    /// - Throws: `JSONError.missing` or `JSONError.wrongKind`.
    package func get<Value: JSONConvertible>(
        _ key: String, as: Value.Type = Value.self
    ) throws(JSONError) -> Value {
        guard let value = self[key] else { throw .missing(key: key) }
        do {
            return try Value(json: value)
        } catch {
            throw error.inside(key)
        }
    }

    /// The member `key` as `Value`; nil where it is absent or null.
    ///
    /// - Throws: `JSONError.wrongKind` where it is there and is something else.
    package func find<Value: JSONConvertible>(
        _ key: String, as: Value.Type = Value.self
    ) throws(JSONError) -> Value? {
        guard let value = self[key], value != .null else { return nil }
        return try get(key)
    }
}

extension String: JSONConvertible {
    package init(json: JSONValue) throws(JSONError) {
        guard case .string(let string) = json else { throw json.mismatch("text") }
        self = string
    }
    package var json: JSONValue { .string(self) }
}

extension Bool: JSONConvertible {
    package init(json: JSONValue) throws(JSONError) {
        guard case .bool(let bool) = json else { throw json.mismatch("true or false") }
        self = bool
    }
    package var json: JSONValue { .bool(self) }
}

extension Int: JSONConvertible {
    package init(json: JSONValue) throws(JSONError) {
        guard case .integer(let integer) = json, let int = Int(exactly: integer) else {
            throw json.mismatch("a whole number")
        }
        self = int
    }
    package var json: JSONValue { .integer(Int64(self)) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package init(json: JSONValue) throws(JSONError) {
        guard case .array(let values) = json else { throw json.mismatch("a list") }
        self = []
        reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do {
                append(try Element(json: value))
            } catch {
                throw error.inside("[\(index)]")
            }
        }
    }
    package var json: JSONValue { .array(map(\.json)) }
}

extension Optional where Wrapped: JSONConvertible {
    /// The JSON form, null where there is no value.
    package var json: JSONValue { self?.json ?? .null }
}
