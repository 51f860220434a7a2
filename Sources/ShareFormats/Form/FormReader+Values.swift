internal import JSON

extension FormReader {
    /// A text member; nil where it is absent or null.
    func string(
        _ name: String, in tree: JSONValue, at place: String
    ) throws(FormError) -> String? {
        switch tree[name] {
        case nil, .null: return nil
        case .string(let text): return text
        case .some(let other): throw shape(place, "\"\(name)\"", other, "a text")
        }
    }

    /// The members of an object member; none where it is absent or null.
    func object(
        _ name: String, in tree: JSONValue, at place: String
    ) throws(FormError) -> JSONObject {
        switch tree[name] {
        case nil, .null: return JSONObject()
        case .object(let object): return object
        case .some(let other): throw shape(place, "\"\(name)\"", other, "an object")
        }
    }

    /// A member that is plainly true. XLSForm also writes yes and true(); anything else is a
    /// condition, which `expressions` keeps.
    func flag(_ name: String, in tree: JSONValue, at place: String) throws(FormError) -> Bool {
        switch tree[name] {
        case nil, .null: return false
        case .bool(let value): return value
        case .string(let text): return FormReader.truths.contains(text)
        case .some(let other): throw shape(place, "\"\(name)\"", other, "true or false")
        }
    }

    /// A label: a text, or an object of texts by language.
    func label(
        _ name: String, in tree: JSONValue, at place: String
    ) throws(FormError) -> LocalizedText {
        try LocalizedText(tree[name], name: name, at: place)
    }

    func expressions(
        in tree: JSONValue, at place: String
    ) throws(FormError) -> Form.Expressions {
        var found = Form.Expressions()
        found.constraint = try string("constraint", in: tree, at: place)
        found.constraintMessage = try label("constraint_message", in: tree, at: place)
        found.relevant = try string("relevant", in: tree, at: place)
        found.calculation = try string("calculation", in: tree, at: place)
        found.choiceFilter = try string("choice_filter", in: tree, at: place)
        if case .string(let text) = tree["required"],
            !FormReader.truths.contains(text), !FormReader.untruths.contains(text)
        {
            found.required = text
        }
        if case .string(let text) = tree["read_only"] { found.readOnly = text }
        if case .string(let text) = tree["default"] { found.initial = text }
        if let extras = tree["x"] {
            found.warn = try string("warn", in: extras, at: place)
            found.warnMessage = try label("warn_message", in: extras, at: place)
        }
        return found
    }

    func shape(
        _ place: String, _ what: String, _ found: JSONValue, _ wanted: String
    ) -> FormError {
        FormError(
            .badShape, at: place, "\(what) should be \(wanted), found \(found.kind)",
            hint: "See docs/forms.md for what a form looks like.")
    }

    /// A name of any origin, short enough for a message and without control characters.
    static func shown(_ name: String) -> String {
        let safe = name.unicodeScalars.map { scalar -> Character in
            scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) ? "?" : Character(scalar)
        }
        return safe.count > 60 ? String(safe.prefix(60)) + "..." : String(safe)
    }

    private static let truths = ["yes", "true", "true()", "TRUE", "Yes"]
    private static let untruths = ["", "no", "false", "false()", "FALSE", "No"]
}

extension JSONValue {
    /// The member of that name, where this is an object that has it.
    subscript(name: String) -> JSONValue? { object?[name] }
}

extension FormReader {
    mutating func readLists(in tree: JSONValue) throws(FormError) {
        guard let value = tree["lists"] else { return }
        guard let members = value.object?.members else {
            throw shape("", "\"lists\"", value, "an object")
        }
        guard members.count <= FormLimits.lists else {
            throw FormError(
                .tooMany, "\(members.count) lists; at most \(FormLimits.lists) are possible",
                hint: "Put fields that have the same choices on one list.")
        }
        for member in members {
            lists.append(try ChoiceList(name: member.key, tree: member.value))
        }
    }

    mutating func requireList(_ name: String?, at place: String) throws(FormError) {
        guard let name else {
            throw FormError(
                .missingList, at: place, "a field of choices needs its list",
                hint: "Add \"list\": \"yes_no\" here and the list itself under \"lists\".")
        }
        let isHere = lists.contains { $0.name.utf8.elementsEqual(name.utf8) }
        if isHere { return }
        if let list = beside.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            try list.check()
            lists.append(list)
            adopted.append(list)
            return
        }
        throw FormError(
            .missingList, at: place, "there is no list \"\(FormReader.shown(name))\"",
            hint: Suggestion.hint(
                for: name, among: (lists + beside).map(\.name),
                otherwise: "Add it to the form under \"lists\"."))
    }

    /// The text that travels: as written, or with the lists that lay beside it put in.
    func completed(_ json: [UInt8], _ tree: JSONValue) throws(FormError) -> String {
        guard !adopted.isEmpty, var form = tree.object else {
            return String(decoding: json, as: UTF8.self)
        }
        var lists = form["lists"]?.object ?? JSONObject()
        lists.members += adopted.map { .init(key: $0.name, value: $0.tree) }
        form["lists"] = nil
        form["lists"] = .object(lists)
        let text = JSONValue.object(form).text
        guard text.count <= FormLimits.jsonBytes else {
            throw FormError(
                .tooMany,
                "with its lists the form is longer than \(FormLimits.jsonBytes / 1024) KiB",
                hint: "Shorten its lists.")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
