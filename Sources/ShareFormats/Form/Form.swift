internal import JSON
package import ShareCore

/// A form for those who show or fill it. Receivers judge records by `FormDefinition` alone.
package struct Form: Hashable, Sendable {
    package let formID: String
    package let version: String
    package let title: LocalizedText
    package let defaultLanguage: String?
    /// The elements of the form, in order, groups and repeats with what lies in them.
    package let content: [Element]
    /// The fields outside repeats in order, those of groups in their place; with what only shows
    /// something.
    package let fields: [Field]
    /// All repeats, an outer one before those in it.
    package let repeats: [Repeat]
    package let lists: [ChoiceList]
    /// The fields that tell one record from another, for imports; may be empty.
    package let key: [String]
    /// The expression that names a record, word for word.
    package private(set) var instanceName: String?
    /// The expression by which an entry is called where it is chosen, as an XLSForm's `entities`
    /// sheet has it; nil where that is the one that names a record.
    package private(set) var entityLabel: String?
    /// The parts that are kept but do not act.
    package let warnings: [FormWarning]
    /// The definition as it was written, with lists that lay beside it put in.
    package let json: String
    /// The fields outside repeats that have values, in the order of the definition.
    package let stored: [Field]
    /// What earlier versions had, as far as they are known.
    package private(set) var past = FormPast()

    init(
        formID: String, version: String, title: LocalizedText, defaultLanguage: String?,
        content: [Element], lists: [ChoiceList], key: [String], instanceName: String?,
        warnings: [FormWarning], json: String, entityLabel: String? = nil
    ) {
        self.entityLabel = entityLabel
        self.formID = formID
        self.version = version
        self.title = title
        self.defaultLanguage = defaultLanguage
        self.content = content
        fields = Form.fields(of: content)
        repeats = Form.repeats(of: content)
        self.lists = lists
        self.key = key
        self.instanceName = instanceName
        self.warnings = warnings
        self.json = json
        stored = fields.filter { $0.storage != nil }
    }

    /// Reads a definition written by people (docs/forms.md).
    ///
    /// - Parameters:
    ///   - outside: the lists that there are beside it; nil where they are not known, and any may
    ///     be.
    ///   - isWritten: whether it comes from who writes it: then all faults are told, and a type that
    ///     is not known and near to one that is, a slip there, is one of them; in a form from
    ///     elsewhere it is kept as text.
    /// - Throws: `FormError`, with place and hint.
    package init(
        json: [UInt8], outside: [String]? = nil, isWritten: Bool = false
    ) throws(FormError) {
        self = try FormReader.form(of: json, outside: outside, isWritten: isWritten)
    }

    /// The form of a definition that has arrived. It never fails: where the JSON cannot be read
    /// here, or says other fields than the definition, the bare fields are shown and a warning
    /// says so.
    package init(_ definition: FormDefinition) {
        let read = Result { () throws(FormError) in try Form(json: Array(definition.json.utf8)) }
        let trouble: String
        switch read {
        case .success(let form):
            if form.formID == definition.formID, form.bareFields == definition.fields {
                self = form.renamed(version: definition.version)
                return
            }
            trouble = "its description does not match its fields"
        case .failure(let error):
            trouble = "its description cannot be read here (\(error))"
        }
        self.init(
            formID: definition.formID, version: definition.version, title: .none,
            defaultLanguage: nil, content: definition.fields.map { .field(Field(bare: $0)) },
            lists: [], key: [], instanceName: nil,
            warnings: [
                FormWarning(subject: nil, text: "\(trouble); only names and types are shown")
            ],
            json: definition.json)
    }

    /// The same form with what its earlier versions had.
    ///
    /// - Parameter earlier: the latest first.
    package func following(_ earlier: [Form]) -> Form {
        guard !earlier.isEmpty else { return self }
        var form = self
        form.past = FormPast(of: self, earlier)
        return form
    }

    /// The definition that travels: the fields that are stored, and the JSON.
    package func definition(parents: [OperationName]) -> FormDefinition {
        FormDefinition(
            formID: formID, version: version, parents: parents, fields: bareFields, json: json)
    }

    /// The title in a language, else the form's id.
    package func displayTitle(in language: String? = nil) -> String {
        title.text(in: language, defaultLanguage) ?? formID
    }

    /// Whether a field is one of the form's key, and none of a repeat that is called so.
    func isKey(_ field: Field) -> Bool {
        key.contains { $0.utf8.elementsEqual(field.name.utf8) }
            && field.path.allSatisfy { group in
                !repeats.contains { $0.name == group }
            }
    }

    /// The list of that name.
    package func list(named name: String) -> ChoiceList? {
        lists.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The names of the lists that its fields choose from and that do not lie in it; not those that
    /// an answer names, and no entries.
    package var outsideLists: [String] {
        var names: [String] = []
        for field in fields where field.kind.isChoice {
            guard let name = field.listName, list(named: name) == nil, !name.hasPrefix("@"),
                !name.contains("${"), !names.contains(where: { $0.utf8.elementsEqual(name.utf8) })
            else { continue }
            names.append(name)
        }
        return names
    }

    private var bareFields: [FormField] {
        stored.map { FormField(name: $0.name, type: $0.storage ?? .text) }
    }

    private func renamed(version: String) -> Form {
        Form(
            formID: formID, version: version, title: title, defaultLanguage: defaultLanguage,
            content: content, lists: lists, key: key, instanceName: instanceName,
            warnings: warnings, json: json, entityLabel: entityLabel)
    }

    /// The same form for whoever chooses among its entries, and calls them as it wants it there.
    package func asChosen() -> Form {
        var form = self
        form.instanceName = entityLabel ?? instanceName
        return form
    }
}
