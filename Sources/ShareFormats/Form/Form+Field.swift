package import JSON
package import ShareCore

extension Form {
    /// A field as a form describes it. Nothing of it changes, and whoever works out an entry asks for
    /// it again and again: so all hold the one that was read, and copy none of its texts.
    package final class Field: Sendable {
        package let name: String
        package let kind: FieldKind
        /// The name of its list of choices: one of the form, a file, or `@form:FORM`.
        package let list: String?
        package let texts: Texts
        /// Whether an entry must have it whatever else it says. What depends on another answer,
        /// comes from the device, or may only be read, is not.
        package let isRequired: Bool
        /// Whether it must be answered where it is relevant, by plain words.
        package let isRequiredWhereRelevant: Bool
        /// Whether people may only read it, by plain words.
        package let isReadOnly: Bool
        /// Word for word.
        package let expressions: Expressions
        /// For instance `start`, `end` and `step` of a range.
        package let parameters: [JSONObject.Member]
        /// How it wishes to be shown, for instance `multiline`.
        package let appearance: String?
        /// For instance `%` or `Cel`.
        package let unit: String?
        /// Members of the form's JSON beyond XLSForm, `unit` included.
        package let extras: [JSONObject.Member]
        /// The names of the groups and repeats that it lies in, outermost first.
        package let path: [String]
        /// False for a question that is shown and never stored.
        package let isPersistent: Bool

        /// Its name in paths: that of its column, unless another field has that one (`x.node`).
        package var node: String { extras.first { $0.key == "node" }?.value.string ?? name }

        package var label: LocalizedText { texts.label }
        package var hint: LocalizedText { texts.hint }

        /// The name of its list as it is looked up: that of a file without its ending.
        package var listName: String? {
            guard let list else { return nil }
            for ending in [".csv", ".xml", ".geojson"] where list.hasSuffix(ending) {
                return String(list.dropLast(ending.utf8.count))
            }
            return list
        }

        /// How its values are stored; nil where there are none.
        package var storage: StorageType? { isPersistent ? kind.storage : nil }

        /// Whether a percent sign belongs to its values.
        package var isPercent: Bool { unit == "%" }

        /// A parameter as text.
        package func parameter(_ name: String) -> String? {
            parameters.first { $0.key == name }?.value.plainText
        }

        /// The names of the choices in a value; where they are more than `FormLimits.chosen` the last
        /// one is all the rest, so that a long text is no more work.
        package func names(in text: String) -> [String] {
            guard kind.isSeveral else { return [text] }
            return text.utf8.split(separator: 0x20, maxSplits: FormLimits.chosen)
                .map { String(Substring($0)) }
        }

        init(
            name: String, kind: FieldKind, list: String?, texts: Texts, isRequired: Bool,
            isRequiredWhereRelevant: Bool, isReadOnly: Bool, expressions: Expressions,
            parameters: [JSONObject.Member], appearance: String?, unit: String?,
            extras: [JSONObject.Member], path: [String], isPersistent: Bool
        ) {
            self.name = name
            self.kind = kind
            self.list = list
            self.texts = texts
            self.isRequired = isRequired
            self.isRequiredWhereRelevant = isRequiredWhereRelevant
            self.isReadOnly = isReadOnly
            self.expressions = expressions
            self.parameters = parameters
            self.appearance = appearance
            self.unit = unit
            self.extras = extras
            self.path = path
            self.isPersistent = isPersistent
        }

        /// Whether people answer it, and a new entry begins with an answer.
        package var beginsWithDefault: Bool {
            expressions.initial != nil && expressions.calculation == nil && !kind.isAutomatic
                && !isReadOnly
        }

        /// A field of which only name and type are known.
        ///
        /// - Parameter given: its kind, where that is known too.
        convenience init(bare field: FormField, kind given: FieldKind? = nil) {
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
                name: field.name, kind: given ?? kind, list: nil, texts: Texts(), isRequired: false,
                isRequiredWhereRelevant: false, isReadOnly: false, expressions: Expressions(),
                parameters: [], appearance: nil, unit: nil, extras: [], path: [],
                isPersistent: true)
        }
    }

    /// The texts of a field for people.
    package struct Texts: Hashable, Sendable {
        package var label: LocalizedText = .none
        package var hint: LocalizedText = .none
        /// A longer hint, for whoever asks.
        package var guidance: LocalizedText = .none
        package var requiredMessage: LocalizedText = .none
        package var constraintMessage: LocalizedText = .none
        /// From `x.warn_message`.
        package var warnMessage: LocalizedText = .none
        /// From `x.tip`: what to do about a warning.
        package var tip: LocalizedText = .none
    }

    /// The expressions of a field, word for word.
    package struct Expressions: Hashable, Sendable {
        package var constraint: String?
        package var relevant: String?
        package var calculation: String?
        package var choiceFilter: String?
        /// A condition instead of plain true or false.
        package var required: String?
        package var readOnly: String?
        /// The value, or the expression of the value, that a new entry begins with.
        package var initial: String?
        /// The field whose change makes the calculation anew, as `${name}`.
        package var trigger: String?
        /// From `x.warn`: true flags the value, and never refuses it.
        package var warn: String?
        /// From `x.where`: which entries of `@form:FORM` are choices.
        package var entries: String?
    }
}

extension Form.Field: Hashable {
    package static func == (a: Form.Field, b: Form.Field) -> Bool {
        if a === b { return true }
        return a.name == b.name && a.kind == b.kind && a.list == b.list && a.texts == b.texts
            && a.isRequired == b.isRequired
            && a.isRequiredWhereRelevant == b.isRequiredWhereRelevant
            && a.isReadOnly == b.isReadOnly && a.expressions == b.expressions
            && a.parameters == b.parameters && a.appearance == b.appearance && a.unit == b.unit
            && a.extras == b.extras && a.path == b.path && a.isPersistent == b.isPersistent
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(kind)
        hasher.combine(path)
    }
}
