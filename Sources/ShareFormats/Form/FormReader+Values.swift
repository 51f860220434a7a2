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

    func texts(in tree: JSONValue, at place: String) throws(FormError) -> Form.Texts {
        var texts = Form.Texts()
        texts.label = try label("label", in: tree, at: place)
        texts.hint = try label("hint", in: tree, at: place)
        texts.guidance = try label("guidance_hint", in: tree, at: place)
        texts.requiredMessage = try label("required_message", in: tree, at: place)
        texts.constraintMessage = try label("constraint_message", in: tree, at: place)
        if let extras = tree["x"] {
            texts.warnMessage = try label("warn_message", in: extras, at: place)
            texts.tip = try label("tip", in: extras, at: place)
        }
        return texts
    }

    /// An expression; nil where it is empty.
    func expression(
        _ name: String, in tree: JSONValue, at place: String
    ) throws(FormError) -> String? {
        switch tree[name] {
        case .integer(let number): return String(number)
        case .bool(let value): return value ? "true()" : "false()"
        default: break
        }
        guard let text = try string(name, in: tree, at: place) else { return nil }
        return text.utf8.allSatisfy { $0 <= 0x20 } ? nil : text
    }

    func expressions(
        in tree: JSONValue, at place: String
    ) throws(FormError) -> Form.Expressions {
        var found = Form.Expressions()
        found.constraint = try expression("constraint", in: tree, at: place)
        found.relevant = try expression("relevant", in: tree, at: place)
        found.calculation = try expression("calculation", in: tree, at: place)
        found.choiceFilter = try expression("choice_filter", in: tree, at: place)
        found.trigger = try expression("trigger", in: tree, at: place)
        found.required = condition("required", in: tree)
        found.readOnly = condition("read_only", in: tree)
        found.initial = tree["default"]?.plainText
        if let extras = tree["x"] {
            found.warn = try expression("warn", in: extras, at: place)
            found.entries = try expression("where", in: extras, at: place)
        }
        return found
    }

    /// A member that is neither plainly true nor plainly false.
    private func condition(_ name: String, in tree: JSONValue) -> String? {
        guard case .string(let text) = tree[name], !FormReader.truths.contains(text),
            !FormReader.untruths.contains(text)
        else { return nil }
        return text
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

    /// A text or number as text; nil for anything else, and for the empty text.
    package var plainText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .double(let number): NumberText.shortest(number)
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
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
            path = [.member("lists"), .member(member.key)]
            let list = try attempt { _ throws(FormError) in
                try ChoiceList(name: member.key, tree: member.value)
            }
            if let list { add(list) } else { faultyLists.append(member.key) }
        }
        path = []
    }

    private mutating func add(_ list: ChoiceList) {
        if let place = list.duplicate {
            note(
                list.name,
                "choice \"\(FormReader.shown(list.choices[place].name))\" is there twice",
                at: path + [.element(place)])
        }
        lists.append(list)
    }

    /// Looks for the list of a field of choices, in the form or outside.
    mutating func requireList(
        _ name: String?, of kind: FieldKind, _ field: String, at place: String
    ) throws(FormError) {
        guard let name else {
            throw FormError(
                .missingList, at: place, "a field of choices needs its list",
                hint: "Add \"list\": \"yes_no\" here and the list itself under \"lists\".")
        }
        // From a file, from entries, or by an answer: it is looked up where the form is filled in.
        if kind.isFromFile || name.hasPrefix("@") || name.contains("${") { return }
        try requireList(named: name, at: place)
        if kind.isSeveral,
            let list = lists.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
        {
            try list.checkForSeveral(at: place)
        }
    }

    private mutating func requireList(
        named name: String, at place: String
    ) throws(FormError) {
        let isHere = { (known: String) in known.utf8.elementsEqual(name.utf8) }
        guard let outside, !lists.contains(where: { isHere($0.name) }),
            !outside.contains(where: isHere), !faultyLists.contains(where: isHere)
        else { return }
        throw FormError(
            .missingList, at: place, "there is no list \"\(FormReader.shown(name))\"",
            hint: Suggestion.hint(
                for: name, among: lists.map(\.name) + outside,
                otherwise: "Put it into the form under \"lists\", or into the room:"
                    + " `shared lists add FILE.csv`."))
    }
}
