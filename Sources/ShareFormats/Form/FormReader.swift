internal import JSON
internal import ShareCore
internal import ShareCrypto

/// Turns the JSON of a definition into a form, and checks what people can get wrong.
struct FormReader {
    let outside: [String]?
    let isWritten: Bool
    let text: [UInt8]
    var lists: [ChoiceList] = []
    /// The names of those that cannot be read.
    var faultyLists: [String] = []
    var warnings = FormWarnings()
    /// The form, and the repeats around what is being read: names are told apart in each.
    var scopes = [Scope()]
    /// Where in the text the reader is; what throws leaves it at the fault.
    var path: [JSONPath.Step] = []
    /// The faults so far, of which the form cannot be added.
    private var faults: [FormError] = []

    /// The form, or one repeat.
    struct Scope {
        var names: [String] = []
        var count = 0
        /// Names of its fields by how SQLite compares them.
        var folded: [[UInt8]: String] = [:]
    }

    private init(_ text: [UInt8], outside: [String]?, isWritten: Bool) {
        self.text = text
        self.outside = outside
        self.isWritten = isWritten
    }

    static func form(
        of file: [UInt8], outside: [String]?, isWritten: Bool
    ) throws(FormError) -> Form {
        // Some editors put a byte order mark in front; it is no part of the definition.
        let json = file.starts(with: [0xef, 0xbb, 0xbf]) ? Array(file.dropFirst(3)) : file
        var reader = FormReader(json, outside: outside, isWritten: isWritten)
        do throws(FormError) {
            let form = try reader.form()
            if reader.faults.isEmpty { return form }
        } catch {
            reader.add(error)
        }
        throw FormError.all(reader.faults)
    }

    /// Reads a part of the form. Where whoever writes the form made a fault in it, the fault is
    /// kept, and the other parts are read.
    ///
    /// - Returns: nil where there was a fault.
    /// - Throws: where no further faults are to be looked for.
    mutating func attempt<Part>(
        _ read: (inout FormReader) throws(FormError) -> Part
    ) throws(FormError) -> Part? {
        let (depth, around) = (path.count, scopes.count)
        do {
            return try read(&self)
        } catch {
            guard isWritten, error.code != .tooMany, faults.count < FormLimits.warnings else {
                throw error
            }
            add(error)
            path.removeSubrange(depth...)
            scopes.removeSubrange(around...)
            return nil
        }
    }

    /// Keeps a fault at the place where the reader is, of which more are not told than a page holds:
    /// to find each place the text is looked through.
    mutating func add(_ fault: FormError) {
        guard faults.count < FormLimits.warnings else { return }
        faults.append(fault.located(JSONPath(path), in: text))
    }

    /// Keeps a warning about a place in the text.
    ///
    /// - Parameter steps: the way to it from the root.
    mutating func note(_ subject: String?, _ text: String, at steps: [JSONPath.Step]) {
        warnings.add(subject, text, isWritten ? JSONPath(steps).place(in: self.text) : nil)
    }

    /// The form, of which faulty parts are left out.
    private mutating func form() throws(FormError) -> Form {
        let tree = try FormReader.tree(of: text)
        path = [.member("form_id")]
        let formID = try attempt { reader throws(FormError) in try reader.formID(in: tree) }
        path = [.member("version")]
        let version = try attempt { reader throws(FormError) in try reader.version(in: tree) }
        path = [.member("title")]
        let title = try attempt { reader throws(FormError) in
            try reader.label("title", in: tree, at: "")
        }
        path = []
        try readLists(in: tree)
        guard let list = tree["fields"] else {
            throw FormError(
                .noFields, "the form has no fields",
                hint: "Add \"fields\": [{\"name\": ..., \"type\": \"text\"}].")
        }
        guard let elements = list.array else { throw shape("", "\"fields\"", list, "a list") }
        let content = try readFields(elements, at: "fields", in: Surroundings())
        path = []
        let fields = Form.fields(of: content)
        guard !faults.isEmpty || fields.contains(where: { $0.storage != nil }) else {
            throw FormError(
                .noFields, "the form has no field that keeps a value",
                hint: Form.repeats(of: content).isEmpty
                    ? "Add at least one field such as {\"name\": \"note\", \"type\": \"text\"}."
                    : "Add one outside its repeats, such as {\"name\": \"when\", \"type\": \"start\"}."
            )
        }
        noteEntities(in: tree)
        noteMisspelt(inForm: tree)
        // A key may name what is left out for its faults.
        let known =
            faults.isEmpty
            ? fields.filter { $0.storage != nil }.map(\.name) : FormReader.names(in: elements)
        path = [.member("key")]
        let key =
            try attempt { reader throws(FormError) in try reader.key(in: tree, among: known) } ?? []
        path = [.member("default_language")]
        let language =
            try attempt { reader throws(FormError) in
                try reader.string("default_language", in: tree, at: "")
            } ?? nil
        noteLanguage(language, of: content, title ?? .none)
        path = [.member("instance_name")]
        let name = try string("instance_name", in: tree, at: "")
        path = []
        let json = String(decoding: text, as: UTF8.self)
        return Form(
            formID: formID ?? "", version: version.flatMap { $0 } ?? FormReader.version(of: json),
            title: title ?? .none,
            defaultLanguage: language, content: content, lists: lists, key: key,
            instanceName: name ?? entityLabel(tree),
            warnings: warnings.all, json: json, entityLabel: entityLabel(tree))
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
                    hint: "Where a list of choices makes it so long, take it out and add it beside:"
                        + " `shared lists add villages.csv`, and select_one_from_file villages.csv"
                        + " in the form. Else split it into several forms.")
            }
            throw FormError(
                .badJSON, "not valid JSON: \(reason)",
                hint: "A form is one JSON object in UTF-8."
            ).located(line: line, column: column)
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

    /// The name of an entry by the entity that an XLSForm makes of it; nil where it makes none.
    private func entityLabel(_ tree: JSONValue) -> String? {
        let entity = tree["entities"]?.array?.first?.object
        return entity?["entity_id"] == nil ? entity?["label"]?.string : nil
    }

    /// Says what a form wants to become of entities and is not done.
    private mutating func noteEntities(in tree: JSONValue) {
        for entity in tree["entities"]?.array ?? [] {
            let kept = ["entity_id", "create_if", "update_if"].filter {
                entity.object?[$0] != nil
            }
            guard !kept.isEmpty else { continue }
            warnings.add(
                "entities",
                kept.joined(separator: ", ") + (kept.count == 1 ? " is" : " are")
                    + " kept and not checked here: each entry is an item of the list")
        }
    }

    /// The names of fields that are in no repeat, as far as they are written.
    private static func names(in elements: [JSONValue]) -> [String] {
        elements.flatMap { element -> [String] in
            switch element["type"]?.string {
            case "group"?, "begin_group"?: names(in: element["fields"]?.array ?? [])
            case "repeat"?, "begin_repeat"?: []
            default: element["name"]?.string.map { [$0] } ?? []
            }
        }
    }

    /// Says of a language that people see first, and that no text is in.
    private mutating func noteLanguage(
        _ language: String?, of content: [Form.Element], _ title: LocalizedText
    ) {
        guard let language, faults.isEmpty else { return }
        let texts =
            [title] + Form.texts(of: content) + lists.flatMap { $0.choices.map(\.label) }
        let languages = texts.flatMap { $0.texts.map(\.language) }
        // What has no language may be in this one.
        let named = Set(languages)
        guard !named.isEmpty, !named.contains(""),
            LanguageName.meant(by: language, among: languages) == nil
        else { return }
        note(
            nil,
            "default_language: no text is in \"\(FormReader.shown(language))\"; there is "
                + FormReader.shown(named.sorted().joined(separator: ", ")),
            at: [.member("default_language")])
    }

    private mutating func key(
        in tree: JSONValue, among known: [String]
    ) throws(FormError) -> [String] {
        guard let value = tree["key"] else { return [] }
        guard let elements = value.array else { throw shape("", "\"key\"", value, "a list") }
        guard elements.count <= FormLimits.fields else {
            throw FormError(.tooMany, at: "key", "too many fields", hint: "One or two are enough.")
        }
        var names: [String] = []
        for (place, element) in elements.enumerated() {
            path = [.member("key"), .element(place)]
            guard let name = element.string else { throw shape("", "\"key\"", element, "a text") }
            guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                throw FormError(
                    .unknownKeyField, at: "key",
                    "\"\(FormReader.shown(name))\" is no field that keeps a value",
                    hint: Suggestion.hint(for: name, among: known, otherwise: "Name a field."))
            }
            if names.contains(name) {
                note(
                    nil, "key: \"\(FormReader.shown(name))\" is there twice",
                    at: [.member("key"), .element(place)])
            } else {
                names.append(name)
            }
        }
        path = []
        return names
    }
}
