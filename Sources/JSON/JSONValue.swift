/// A JSON value (RFC 8259) that keeps whole numbers apart from others and members in order.
///
/// A number is `.integer` where it was written without fraction and exponent, and `.double`
/// otherwise, so a record's value keeps its type on the way through the control API. Texts and
/// names are equal where their bytes are: Swift's `==` would call texts equal that differ in
/// Unicode normalisation.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Hashable {
    package static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.string(let one), .string(let other)): one.hasBytes(of: other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(integer)
        case .double(let double): hasher.combine(double)
        // Texts of the same bytes have the same hash, and a few others too.
        case .string(let string): hasher.combine(string)
        case .array(let array): hasher.combine(array)
        case .object(let object): hasher.combine(object)
        }
    }
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

    /// The kind of the value, as people call it.
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

/// The members of a JSON object in the order in which they are written.
package struct JSONObject: Hashable, Sendable {
    /// One name and its value.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        package static func == (one: Member, other: Member) -> Bool {
            one.key.hasBytes(of: other.key) && one.value == other.value
        }
    }

    /// All members; no two have the same key where the object was read from text.
    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    /// The value of the first member whose key has these bytes; setting replaces it in place or
    /// appends.
    ///
    /// - Complexity: O(members), which are few.
    package subscript(key: String) -> JSONValue? {
        get { members.first { $0.key.hasBytes(of: key) }?.value }
        set {
            let index = members.firstIndex { $0.key.hasBytes(of: key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member(key: $0.0, value: $0.1) }
    }
}

extension String {
    /// Whether both texts are the same bytes of UTF-8.
    func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
