import JSON
import ShareStore
import ShareControl
import ShareCore
import ShareFormats
import ShareForms

/// Values of records as they come through the control API, and as they go.
enum RecordsValues {
    /// The fields that a request names, by their index in `form.stored`.
    ///
    /// - Parameters:
    ///   - path: where they lie in an entry, with a slash behind it.
    ///   - present: what is there: choices of it that are not offered any more may stay.
    ///   - unread: takes names that there are not, and values that do not fit; where several choices
    ///     are called so, a placeholder stands for the value.
    /// - Throws: `Problem` for a field named twice, and for what is no value.
    static func read(
        _ values: JSONObject, of schema: FormSchema, at path: String = "",
        keeping present: [FieldValue] = [], unread: inout [EntryFault]
    ) throws -> [Int: FieldValue] {
        var read: [Int: FieldValue] = [:]
        for member in values.members {
            do {
                let index = try schema.parser.position(of: member.key)
                guard read[index] == nil else {
                    throw Problem(
                        .badRequest,
                        "field \(path)\(schema.form.stored[index].name) is named twice",
                        hint: "Give it once.")
                }
                read[index] = try value(
                    member.value, at: index, schema.parser,
                    keeping: present.indices.contains(index) ? present[index] : .absent)
            } catch let error as ValueError {
                if error.candidates != nil, let index = try? schema.parser.position(of: member.key)
                {
                    read[index] = .text(FillState.placeholder(unread.count))
                }
                unread.append(EntryFault(error, at: path + (error.field ?? member.key)))
            }
        }
        return read
    }

    /// The value of one field.
    ///
    /// - Parameter stored: what is there: choices of it that are not offered any more may stay.
    /// - Throws: `ValueError`; `Problem` for what is no value.
    static func value(
        _ json: JSONValue, at index: Int, _ parser: ValueParser,
        keeping stored: FieldValue = .absent
    ) throws -> FieldValue {
        let field = parser.fields[index]
        switch json {
        case .null: return .absent
        case .integer(let number): return try parser.value(.integer(number), at: index)
        case .double(let number): return try parser.value(.decimal(number), at: index)
        case .string(let text): return try parser.value(text, at: index, keeping: stored)
        case .array(let elements) where field.kind.isSeveral:
            let names = elements.compactMap(\.string)
            guard names.count == elements.count else { break }
            return try parser.value(names.joined(separator: ","), at: index, keeping: stored)
        case .bool, .array, .object: break
        }
        throw Problem(
            .wrongType, "field \(field.name) cannot be \(json.kind)",
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

    /// The value of a field that versions or conflicts are about, as JSON.
    static func json(
        _ value: FieldValue, of field: RecordField, _ schema: FormSchema?
    ) -> JSONValue {
        switch field {
        case .field(let field): schema?.json(value, of: field) ?? json(value)
        case .deleted: (value == .integer(1)).json
        case .reviewState: json(value)
        }
    }

    /// Fields with their values, by the names under which they are shown.
    static func json(_ changes: [RecordEntry], _ schema: FormSchema?) -> JSONObject {
        var object = JSONObject()
        for change in changes {
            object[schema?.name(of: .field(change.field)) ?? change.field.name] = json(
                change.value, of: .field(change.field), schema)
        }
        return object
    }
}
