import JSON
import ShareControl
import ShareCore
import ShareFormats

/// Values of records as they come through the control API, and as they go.
enum RecordsValues {
    /// The fields that a request names, by their place in `form.stored`.
    ///
    /// - Throws: `ValueError`; `Problem` for a field named twice.
    static func read(_ values: JSONObject, of entry: FormsEntry) throws -> [Int: FieldValue] {
        var read: [Int: FieldValue] = [:]
        for member in values.members {
            let place = try entry.parser.position(of: member.key)
            guard read[place] == nil else {
                throw Problem(
                    .badRequest, "field \(entry.form.stored[place].name) is named twice",
                    hint: "Give it once.")
            }
            read[place] = try value(member.value, at: place, entry)
        }
        return read
    }

    private static func value(
        _ json: JSONValue, at place: Int, _ entry: FormsEntry
    ) throws -> FieldValue {
        let field = entry.form.stored[place]
        switch json {
        case .null: return .absent
        case .integer(let number): return try entry.parser.value(.integer(number), at: place)
        case .double(let number): return try entry.parser.value(.decimal(number), at: place)
        case .string(let text): return try entry.parser.value(text, at: place)
        case .array(let elements) where field.kind.isSeveral:
            let names = elements.compactMap(\.string)
            guard names.count == elements.count else { break }
            return try entry.parser.value(names.joined(separator: ","), at: place)
        case .bool, .array, .object: break
        }
        throw Problem(
            .wrongType, "wrong type: field \(field.name) cannot be \(json.kind)",
            hint: "Give it as text: \(field.name)=VALUE.")
    }

    /// A value as JSON; several choices are a list.
    static func json(_ value: FieldValue, isSeveral: Bool = false) -> JSONValue {
        switch value {
        case .absent: .null
        case .integer(let number): .integer(number)
        case .decimal(let number): .double(number)
        case .text(let text) where isSeveral:
            .array(text.split(separator: " ").map { .string(String($0)) })
        case .text(let text): .string(text)
        }
    }
}
