/// A JSON value (RFC 8259) that keeps whole numbers apart from fractions and members in order.
///
/// A number is `.integer` where it was written without fraction and exponent and fits 64 bits, and
/// `.double` otherwise, so a record's value keeps its type on the way through the control API.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The members, where this is an object.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The elements, where this is an array.
    package var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The text, where this is a string.
    package var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// What kind of value this is, as people call it.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "a whole number"
        case .double: "a number"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    package init(stringLiteral value: String) { self = .string(value) }
}
