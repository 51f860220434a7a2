import JSON
import ShareControl

extension JSONValue {
    /// The member of that name; null where there is none.
    subscript(_ key: String) -> JSONValue { object?[key] ?? .null }

    /// The element at that place; null where there is none.
    subscript(_ index: Int) -> JSONValue {
        guard let array, array.indices.contains(index) else { return .null }
        return array[index]
    }

    var number: Int? {
        if case .integer(let number) = self { Int(exactly: number) } else { nil }
    }

    /// As it was answered, for messages.
    var shown: String { String(decoding: text, as: UTF8.self) }

    var isTrue: Bool { self == .bool(true) }

    /// The names of an object's members, in order of the alphabet.
    var keys: [String] { object?.members.map(\.key).sorted() ?? [] }
}
