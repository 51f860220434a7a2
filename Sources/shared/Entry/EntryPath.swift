internal import JSON

/// Where a field lies in the values of an entry: `fever`, or inside repetitions
/// `sighting[2]/species`, counted from 1.
struct EntryPath {
    struct Part {
        var name: String
        /// Counted from 0; nil for what is no repetition.
        var place: Int?

        /// As it is typed.
        var text: String { place.map { "\(name)[\($0 + 1)]" } ?? name }
    }

    let parts: [Part]

    init(_ text: String) {
        parts = text.split(separator: "/").map { word in
            guard word.last == "]", let bracket = word.lastIndex(of: "["),
                let place = Int(word[word.index(after: bracket)...].dropLast()), place > 0
            else { return Part(name: String(word)) }
            return Part(name: String(word[..<bracket]), place: place - 1)
        }
    }

    /// The values with another one here, or without one.
    func setting(_ value: JSONValue?, in values: JSONObject) -> JSONObject {
        Self.setting(value, parts[...], values)
    }

    /// Repetitions of one repeat, so that no path can ask for much.
    private static let rows = 5_000

    func value(in values: JSONObject) -> JSONValue? {
        parts.last.flatMap { around(in: values)?[$0.name] }
    }

    /// Whether there is nothing in its place, and the row that this lies in is there.
    func isOpen(in values: JSONObject) -> Bool {
        guard let last = parts.last, let around = around(in: values) else { return false }
        return around[last.name] == nil
    }

    /// The row that it lies in, or the entry.
    private func around(in values: JSONObject) -> JSONObject? {
        var object = values
        for part in parts.dropLast() {
            guard let next = object[part.name]?.array, let place = part.place,
                next.indices.contains(place), let inner = next[place].object
            else { return nil }
            object = inner
        }
        return object
    }

    private static func setting(
        _ value: JSONValue?, _ parts: ArraySlice<Part>, _ values: JSONObject
    ) -> JSONObject {
        guard let part = parts.first else { return values }
        var values = values
        guard parts.count > 1 else {
            values.members.removeAll { $0.key == part.name }
            if let value { values.members.append(.init(key: part.name, value: value)) }
            return values
        }
        var list = values[part.name]?.array ?? []
        let place = part.place ?? 0
        while list.count <= place, list.count < Self.rows { list.append(.object(JSONObject())) }
        guard list.indices.contains(place) else { return values }
        list[place] = .object(
            setting(value, parts.dropFirst(), list[place].object ?? JSONObject()))
        values[part.name] = .array(list)
        return values
    }
}
