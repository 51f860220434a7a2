package import JSON
package import ShareCore

/// A form for those who show or fill it. Receivers judge records by `FormDefinition` alone.
package struct Form: Hashable, Sendable {
    package let formID: String
    package let version: String
    package let title: LocalizedText
    package let defaultLanguage: String?
    /// Fields in order, those of groups in their place; with what only shows something.
    package let fields: [Field]
    package let groups: [Group]
    package let lists: [ChoiceList]
    /// The fields that tell one record from another, for imports; may be empty.
    package let key: [String]
    /// The expression that names a record, word for word.
    package let instanceName: String?
    /// What is kept but does not act.
    package let warnings: [FormWarning]
    /// The definition as it was written, with lists that lay beside it put in.
    package let json: String
    /// The fields that have values, in the order of the definition.
    package let stored: [Field]

    init(
        formID: String, version: String, title: LocalizedText, defaultLanguage: String?,
        fields: [Field], groups: [Group], lists: [ChoiceList], key: [String],
        instanceName: String?, warnings: [FormWarning], json: String
    ) {
        self.formID = formID
        self.version = version
        self.title = title
        self.defaultLanguage = defaultLanguage
        self.fields = fields
        self.groups = groups
        self.lists = lists
        self.key = key
        self.instanceName = instanceName
        self.warnings = warnings
        self.json = json
        stored = fields.filter { $0.storage != nil }
    }

    /// Reads a definition written by people (docs/forms.md).
    ///
    /// `lists` are those that lie beside it as files; they are put into `json` where the form
    /// uses them and does not have them itself, so that the definition stands alone.
    ///
    /// - Throws: `FormError`, the first found, with its place and a hint.
    package init(json: [UInt8], lists: [ChoiceList] = []) throws(FormError) {
        self = try FormReader.form(of: json, beside: lists)
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
            defaultLanguage: nil, fields: definition.fields.map { Field(bare: $0) }, groups: [],
            lists: [], key: [], instanceName: nil,
            warnings: [
                FormWarning(subject: nil, text: "\(trouble); only names and types are shown")
            ],
            json: definition.json)
    }

    /// What travels: the fields that are stored, and the JSON.
    package func definition(parents: [OperationName]) -> FormDefinition {
        FormDefinition(
            formID: formID, version: version, parents: parents, fields: bareFields, json: json)
    }

    /// The title in a language, else the form's id.
    package func displayTitle(in language: String? = nil) -> String {
        title.text(in: language, defaultLanguage) ?? formID
    }

    /// The list of that name.
    package func list(named name: String) -> ChoiceList? {
        lists.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private var bareFields: [FormField] {
        stored.map { FormField(name: $0.name, type: $0.storage ?? .text) }
    }

    private func renamed(version: String) -> Form {
        Form(
            formID: formID, version: version, title: title, defaultLanguage: defaultLanguage,
            fields: fields, groups: groups, lists: lists, key: key, instanceName: instanceName,
            warnings: warnings, json: json)
    }
}

extension Form {
    /// A field as a form describes it.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let kind: FieldKind
        /// The name of its list of choices.
        package let list: String?
        package let label: LocalizedText
        package let hint: LocalizedText
        /// Whether an entry must have it. What depends on another answer, or comes from the
        /// device, is never required.
        package let isRequired: Bool
        /// Word for word; nothing evaluates them yet.
        package let expressions: Expressions
        /// How it wishes to be shown, for instance `multiline`.
        package let appearance: String?
        /// For instance `%` or `Cel`.
        package let unit: String?
        /// What the form says beyond XLSForm, `unit` included.
        package let extras: [JSONObject.Member]
        /// The names of the groups it lies in, outermost first.
        package let path: [String]
        /// False for a question that is shown and never stored.
        package let isPersistent: Bool

        /// How its values are stored; nil where there are none.
        package var storage: StorageType? { isPersistent ? kind.storage : nil }

        /// Whether a percent sign belongs to its values.
        package var isPercent: Bool { unit == "%" }

        init(
            name: String, kind: FieldKind, list: String?, label: LocalizedText,
            hint: LocalizedText, isRequired: Bool, expressions: Expressions, appearance: String?,
            unit: String?, extras: [JSONObject.Member], path: [String], isPersistent: Bool
        ) {
            self.name = name
            self.kind = kind
            self.list = list
            self.label = label
            self.hint = hint
            self.isRequired = isRequired
            self.expressions = expressions
            self.appearance = appearance
            self.unit = unit
            self.extras = extras
            self.path = path
            self.isPersistent = isPersistent
        }

        /// A field of which only name and type are known.
        init(bare field: FormField) {
            let kind: FieldKind =
                switch field.type {
                case .text: .text
                case .integer: .integer
                case .decimal: .decimal
                case .date: .date
                case .time: .time
                case .dateTime: .dateTime
                }
            self.init(
                name: field.name, kind: kind, list: nil, label: .none, hint: .none,
                isRequired: false, expressions: Expressions(), appearance: nil, unit: nil,
                extras: [], path: [], isPersistent: true)
        }
    }

    /// The expressions of a field, word for word.
    package struct Expressions: Hashable, Sendable {
        package var constraint: String?
        package var constraintMessage: LocalizedText = .none
        package var relevant: String?
        package var calculation: String?
        package var choiceFilter: String?
        /// A condition instead of plain true or false.
        package var required: String?
        package var readOnly: String?
        package var initial: String?
        /// From `x.warn`: true flags the value, and never refuses it.
        package var warn: String?
        package var warnMessage: LocalizedText = .none
    }

    /// A group of fields: it shows them together, and its name is no part of theirs.
    package struct Group: Hashable, Sendable {
        package let name: String
        package let label: LocalizedText
        /// Word for word.
        package let relevant: String?
        /// The names of the groups it lies in, outermost first.
        package let path: [String]
    }
}
