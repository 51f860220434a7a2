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
    }

    /// All members; no two have the same key where the object was read from text.
    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    /// The value of the first member of that name; setting replaces it in place or appends.
    ///
    /// - Complexity: O(members), which are few.
    package subscript(key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

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

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = elements.map { Member(key: $0.0, value: $0.1) }
    }
}
