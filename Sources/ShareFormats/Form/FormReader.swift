internal import JSON
internal import ShareCore
internal import ShareCrypto

/// Turns the JSON of a definition into a form, and checks what people can get wrong.
struct FormReader {
    let beside: [ChoiceList]
    private var fields: [Form.Field] = []
    private var groups: [Form.Group] = []
    var lists: [ChoiceList] = []
    private var warnings = FormWarnings()
    /// Lists that were taken from beside the form.
    var adopted: [ChoiceList] = []
    private var foldedNames: [[UInt8]: String] = [:]

    private init(beside: [ChoiceList]) { self.beside = beside }

    static func form(of json: [UInt8], beside: [ChoiceList]) throws(FormError) -> Form {
        var reader = FormReader(beside: beside)
        return try reader.form(of: json)
    }

    private mutating func form(of file: [UInt8]) throws(FormError) -> Form {
        // Some editors put a byte order mark in front; it is no part of the definition.
        let json = file.starts(with: [0xef, 0xbb, 0xbf]) ? Array(file.dropFirst(3)) : file
        let tree = try FormReader.tree(of: json)
        let formID = try formID(in: tree)
        try readLists(in: tree)
        guard let list = tree["fields"] else {
            throw FormError(
                .noFields, "the form has no fields",
                hint: "Add \"fields\": [{\"name\": ..., \"type\": \"text\"}].")
        }
        guard let elements = list.array else { throw shape("", "\"fields\"", list, "a list") }
        try readFields(elements, at: "fields", path: [])
        guard fields.contains(where: { $0.storage != nil }) else {
            throw FormError(
                .noFields, "the form has no field that keeps a value",
                hint: "Add at least one field such as {\"name\": \"note\", \"type\": \"text\"}.")
        }
        let text = try completed(json, tree)
        return Form(
            formID: formID, version: try version(in: tree) ?? FormReader.version(of: text),
            title: try label("title", in: tree, at: ""),
            defaultLanguage: try string("default_language", in: tree, at: ""), fields: fields,
            groups: groups, lists: lists, key: try key(in: tree),
            instanceName: try string("instance_name", in: tree, at: ""), warnings: warnings.all,
            json: text)
    }

    private static func tree(of json: [UInt8]) throws(FormError) -> JSONValue {
        let tree: JSONValue
        do {
            tree = try JSONValue(text: json, limit: FormLimits.jsonBytes)
        } catch {
            guard case .malformed(let line, let column, let reason) = error else {
                throw FormError(
                    .badShape, "\(error)", hint: "See docs/forms.md for what a form looks like.")
            }
            if case .tooLong(let limit) = reason {
                throw FormError(
                    .tooMany, "the form is longer than \(limit / 1024) KiB",
                    hint: "Split it into several forms, or shorten its lists.")
            }
            throw FormError(
                .badJSON, at: "line \(line), column \(column)", "not valid JSON: \(reason)",
                hint: "A form is one JSON object in UTF-8.")
        }
        guard tree.object != nil else {
            throw FormError(
                .badShape, "a form is an object, and this is \(tree.kind)",
                hint: "A form is {\"form_id\": ..., \"fields\": [...]}.")
        }
        return tree
    }

    private func formID(in tree: JSONValue) throws(FormError) -> String {
        guard let id = try string("form_id", in: tree, at: "") else {
            throw FormError(
                .badFormID, "the form has no form_id",
                hint: "Add a line such as \"form_id\": \"common-viruses\".")
        }
        if let fault = FormNames.fault(ofFormID: id) {
            throw FormError(
                .badFormID, "form_id \"\(FormReader.shown(id))\": \(fault)",
                hint: "For instance common-viruses: 1 to 63 letters, digits, _ - .")
        }
        return id
    }

    private func version(in tree: JSONValue) throws(FormError) -> String? {
        let text: String
        switch tree["version"] {
        case nil, .null: return nil
        case .integer(let number): text = String(number)
        case .string(let written): text = written
        case .some(let other): throw shape("", "\"version\"", other, "a text")
        }
        if let fault = FormNames.fault(ofLabelled: text) {
            throw FormError(
                .badVersion, "version: \(fault)",
                hint: "For instance 2026112101, or leave it out: it is then made from the content.")
        }
        return text
    }

    /// The version of a form that names none: as many bits of its hash as 10 characters hold.
    private static func version(of json: String) -> String {
        String(Base32.encode(Hash.digest(Array(json.utf8)).bytes).prefix(10))
    }

    private func key(in tree: JSONValue) throws(FormError) -> [String] {
        guard let value = tree["key"] else { return [] }
        guard let elements = value.array else { throw shape("", "\"key\"", value, "a list") }
        guard elements.count <= FormLimits.fields else {
            throw FormError(.tooMany, at: "key", "too many fields", hint: "One or two are enough.")
        }
        var names: [String] = []
        let known = fields.filter { $0.storage != nil }.map(\.name)
        for element in elements {
            guard let name = element.string else { throw shape("", "\"key\"", element, "a text") }
            guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                throw FormError(
                    .unknownKeyField, at: "key",
                    "\"\(FormReader.shown(name))\" is no field that keeps a value",
                    hint: Suggestion.hint(for: name, among: known, otherwise: "Name a field."))
            }
            names.append(name)
        }
        return names
    }

    private mutating func readFields(
        _ elements: [JSONValue], at place: String, path: [String]
    ) throws(FormError) {
        for (index, element) in elements.enumerated() {
            try readField(element, at: "\(place)[\(index + 1)]", path: path)
            guard fields.count <= FormLimits.fields else {
                throw FormError(
                    .tooMany, "more than \(FormLimits.fields) fields",
                    hint: "Split the form into several.")
            }
        }
    }

    private mutating func readField(
        _ tree: JSONValue, at place: String, path: [String]
    ) throws(FormError) {
        guard tree.object != nil else { throw shape(place, "a field", tree, "an object") }
        guard let name = try string("name", in: tree, at: place) else {
            throw FormError(
                .badFieldName, at: place, "the field has no name",
                hint: "Add \"name\": \"...\", which is also its column.")
        }
        let place = "\(place) \"\(FormReader.shown(name))\""
        guard let typeText = try string("type", in: tree, at: place) else {
            throw FormError(
                .badShape, at: place, "the field has no type",
                hint: "Add \"type\": one of "
                    + FieldKind.names.prefix(9).joined(separator: ", ") + " ...")
        }
        // A form copied from a spreadsheet has "select_one colours" in one cell.
        let words = typeText.split(whereSeparator: \.isWhitespace).map(String.init)
        switch words.first {
        case "group", "begin_group": try readGroup(tree, name: name, at: place, path: path)
        case "repeat", "begin_repeat":
            throw FormError(
                .unsupported, at: place, "repeats are not supported yet",
                hint: "Make a form of its own for what repeats, or fields such as \(name)_1.")
        default:
            let isSplit = words.count == 2 && FieldKind(name: words[0]).isChoice
            let kind = FieldKind(name: isSplit ? words[0] : typeText)
            let list = try string("list", in: tree, at: place) ?? (isSplit ? words[1] : nil)
            try checkName(name, at: place)
            try append(kind, list: list, name: name, tree, at: place, path: path)
        }
    }

    private mutating func readGroup(
        _ tree: JSONValue, name: String, at place: String, path: [String]
    ) throws(FormError) {
        if let fault = FormNames.fault(ofLabelled: name) {
            throw FormError(
                .badFieldName, at: place, "the name of the group: \(fault)",
                hint: "For instance mark_and_recapture.")
        }
        guard let inside = tree["fields"]?.array else {
            throw FormError(
                .badShape, at: place, "the group has no list of fields",
                hint: "Add \"fields\": [...] to it.")
        }
        let relevant = try string("relevant", in: tree, at: place)
        if relevant != nil { warnings.add(name, "relevant: not checked here") }
        groups.append(
            Form.Group(
                name: name, label: try label("label", in: tree, at: place), relevant: relevant,
                path: path))
        try readFields(inside, at: "\(place) fields", path: path + [name])
    }

    private mutating func checkName(_ name: String, at place: String) throws(FormError) {
        if let fault = FormNames.fault(ofField: name) {
            throw FormError(
                .badFieldName, at: place, "the name: \(fault)",
                hint: "1 to 63 bytes, no = \" { }, no _ in front; the label may say anything.")
        }
        let folded = FormNames.folded(name)
        if let other = foldedNames[folded] {
            throw FormError(
                .duplicateField, at: place,
                other == name
                    ? "a second field of this name"
                    : "\"\(other)\" and \"\(name)\" differ by upper and lower case only",
                hint: "Fields of different groups need different names too: they are columns.")
        }
        foldedNames[folded] = name
    }

    private mutating func append(
        _ kind: FieldKind, list: String?, name: String, _ tree: JSONValue, at place: String,
        path: [String]
    ) throws(FormError) {
        if kind.isChoice {
            if let list, kind == .selectOneFromFile {
                warnings.add(name, "its choices (\(FormReader.shown(list))) are not looked up here")
            } else {
                try requireList(list, at: place)
            }
            if kind.isSeveral, let choices = lists.first(where: { $0.name == list }) {
                try choices.checkForSeveral(at: place)
            }
        }
        if case .unknown(let type) = kind {
            warnings.add(name, "type \"\(FormReader.shown(type))\" is not known and kept as text")
            if let hint = FieldKind.hint(forUnknown: type) { warnings.add(name, hint) }
        }
        if kind.isMedia {
            warnings.add(name, "attachments are not supported yet; the name of a file is kept")
        }
        let extras = try object("x", in: tree, at: place)
        let expressions = try expressions(in: tree, at: place)
        warnings.add(name, expressions)
        let isConditional =
            expressions.relevant != nil
            || groups.contains { path.contains($0.name) && $0.relevant != nil }
        fields.append(
            Form.Field(
                name: name, kind: kind, list: list, label: try label("label", in: tree, at: place),
                hint: try label("hint", in: tree, at: place),
                isRequired: try flag("required", in: tree, at: place) && !isConditional
                    && !kind.isAutomatic,
                expressions: expressions,
                appearance: try string("appearance", in: tree, at: place),
                unit: extras["unit"]?.string, extras: extras.members, path: path,
                isPersistent: extras["persist"] != .bool(false)))
    }
}
