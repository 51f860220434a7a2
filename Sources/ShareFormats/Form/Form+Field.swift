package import JSON
package import ShareCore

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
