/// A JSON value as it was written: members in order, whole numbers apart from others.
package enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case decimal(Double)
    case text(String)
    case list([JSONTree])
    case object([JSONMember])

    /// The first member of that name, where this is an object.
    ///
    /// - Complexity: O(members).
    package subscript(name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text, where this is one.
    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The members in order, where this is an object.
    package var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The elements, where this is a list.
    package var elements: [JSONTree]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// What people call this kind of value, with its article.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .decimal: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
