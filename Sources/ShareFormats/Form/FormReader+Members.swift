internal import JSON

/// Members that nobody looks at, and that were meant to be others. What is near to none is left
/// alone: other programs keep things of their own in a form.
extension FormReader {
    private static let ofForm = [
        "form_id", "version", "title", "default_language", "instance_name", "key", "fields",
        "lists",
        "entities", "settings",
    ]

    private static let ofField = [
        "name", "type", "label", "hint", "guidance_hint", "list", "required", "required_message",
        "relevant", "constraint", "constraint_message", "calculation", "default", "choice_filter",
        "read_only", "appearance", "parameters", "repeat_count", "trigger", "fields", "x",
        // Of an XLSForm, for what writes one again.
        "media", "bind", "body", "instance", "columns", "save_to",
    ]

    private static let extras = [
        "unit", "warn", "warn_message", "tip", "where", "persist", "min", "max",
    ]

    mutating func noteMisspelt(inForm tree: JSONValue) {
        note(tree, Self.ofForm, nil, { $0 })
    }

    mutating func noteMisspelt(inField tree: JSONValue, _ name: String) {
        for member in tree.object?.members ?? [] where Self.extras.contains(member.key) {
            note(
                name,
                "\"\(member.key)\" is not looked at here: it belongs into \"x\","
                    + " \"x\": {\"\(member.key)\": ...}", at: path + [.member(member.key)])
        }
        note(tree, Self.ofField, name, { Self.extras.contains($0) ? nil : $0 })
        if let extras = tree["x"] {
            note(extras, Self.extras, name, { "x.\($0)" }, in: [.member("x")])
        }
    }

    private mutating func note(
        _ tree: JSONValue, _ known: [String], _ subject: String?, _ shown: (String) -> String?,
        in inner: [JSONPath.Step] = []
    ) {
        for member in tree.object?.members ?? [] where !known.contains(member.key) {
            guard let written = shown(member.key),
                let meant = Suggestion.near(member.key, among: known, count: 1).first
            else { continue }
            note(
                subject, "\"\(FormReader.shown(written))\" is not known. Did you mean \(meant)?",
                at: path + inner + [.member(member.key)])
        }
    }
}
