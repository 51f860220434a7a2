import JSON

/// Lists of the entries of another form, as expressions name them: `instance('@form:household')` here,
/// and `instance('household')` in other programs, where a file `household.csv` lies beside the form.
enum EntryLists {
    private static let mark = "@form:"
    private static let quotes = ["'", "\""]
    /// Members that are expressions, of a question and of its `x`.
    private static let expressions = [
        "relevant", "required", "read_only", "constraint", "calculation", "default",
        "choice_filter", "repeat_count", "warn", "where", "instance_name",
    ]

    /// The form as other programs know it.
    static func asFiles(_ form: JSONObject) -> JSONObject {
        rewriting(form) { text in
            quotes.reduce(text) { $0.replacing($1 + mark, with: $1) }
        }
    }

    /// The form as it is here: what is a file elsewhere, and entries by the list of a question, is
    /// entries in its expressions too.
    static func asEntries(_ form: JSONObject) -> JSONObject {
        let own = form["lists"]?.object
        let names = entryLists(form).filter { own?[$0] == nil }
        guard !names.isEmpty else { return form }
        return rewriting(form) { text in
            var text = text
            for name in names {
                for quote in quotes {
                    let end = name + quote + ")"
                    text = text.replacing(
                        "instance(" + quote + end, with: "instance(" + quote + mark + end)
                    let table = "pulldata(" + quote
                    text = text.replacing(
                        table + name + quote, with: table + mark + name + quote)
                }
            }
            return text
        }
    }

    private static func entryLists(_ tree: JSONObject) -> Set<String> {
        (tree["fields"]?.array ?? []).compactMap(\.object).reduce(into: []) { names, field in
            if let list = field["list"]?.string, list.hasPrefix(mark) {
                names.insert(String(list.dropFirst(mark.count)))
            }
            names.formUnion(entryLists(field))
        }
    }

    private static func rewriting(
        _ tree: JSONObject, _ change: (String) -> String
    ) -> JSONObject {
        JSONObject(
            tree.members.map { member in
                var value = member.value
                if case .string(let text) = value, expressions.contains(member.key) {
                    value = .string(change(text))
                } else if case .object(let extras) = value, member.key == "x" {
                    value = .object(rewriting(extras, change))
                } else if case .array(let fields) = value, member.key == "fields" {
                    value = .array(
                        fields.map { field in
                            field.object.map { .object(rewriting($0, change)) } ?? field
                        })
                }
                return JSONObject.Member(key: member.key, value: value)
            })
    }
}
