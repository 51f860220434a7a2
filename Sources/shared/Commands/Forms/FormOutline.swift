internal import JSON
internal import ShareControl

/// What the command line shows of a form's definition; what it does not know it passes over.
struct FormOutline {
    struct Field {
        var name: String
        var type: String
        var list: String?
        var isRequired: Bool
        var label: String
    }

    let id: String
    let title: String
    let version: String
    /// All fields in their order, those in groups included.
    let fields: [Field]

    init(_ definition: JSONObject) {
        let language = definition["default_language"]?.string
        id = definition["form_id"]?.string ?? ""
        version = definition["version"]?.string ?? ""
        title = Self.text(definition["title"], language)
        fields = Self.fields(definition["fields"], language)
    }

    /// The fields that hold a value of a record itself.
    var columns: [String] {
        fields.filter { !["note", "group", "repeat"].contains($0.type) }.map(\.name)
    }

    /// The repeats of a form, each with those that it lies in.
    static func repeats(in fields: JSONValue?) -> [[String]] {
        (fields?.array ?? []).compactMap(\.object).flatMap { field -> [[String]] in
            let inner = repeats(in: field["fields"])
            guard field["type"] == "repeat", let name = field["name"]?.string else { return inner }
            return [[name]] + inner.map { [name] + $0 }
        }
    }

    private static func fields(_ json: JSONValue?, _ language: String?) -> [Field] {
        (json?.array ?? []).compactMap(\.object).flatMap { object -> [Field] in
            let field = Field(
                name: object["name"]?.string ?? "", type: object["type"]?.string ?? "text",
                list: object["list"]?.string, isRequired: object["required"] == .bool(true),
                label: text(object["label"], language))
            // The fields of a repeat are those of a table of its own.
            guard field.type == "group" else { return [field] }
            return fields(object["fields"], language)
        }
    }

    /// A text, or the text of the form's own language.
    private static func text(_ json: JSONValue?, _ language: String?) -> String {
        if let text = json?.string { return text }
        guard let texts = json?.object else { return "" }
        return (language.flatMap { texts[$0] } ?? texts.members.first?.value)?.string ?? ""
    }
}
