/// The entries that a member may write: of some forms, and of a form only those with certain values
/// (docs/protocol.md, "Scope"). It says nothing of what the member is sent.
package struct Scope: Hashable, Sendable {
    /// A form in the scope.
    package struct Form: Hashable, Sendable {
        package let id: String
        /// All of them hold, ascending by field.
        package let conditions: [Condition]

        package init(id: String, conditions: [Condition] = []) {
            self.id = id
            self.conditions = conditions.sorted { Scope.precedes($0.field, $1.field) }
        }
    }

    /// A text field with one of some values.
    package struct Condition: Hashable, Sendable {
        package let field: String
        /// Ascending by their bytes.
        package let values: [String]

        package init(field: String, values: [String]) {
            self.field = field
            self.values = values.sorted(by: Scope.precedes)
        }
    }

    /// Ascending by id, at least one.
    package let forms: [Form]

    package init(forms: [Form]) {
        self.forms = forms.sorted { Scope.precedes($0.id, $1.id) }
    }

    /// The form of this id, or of the repeat that an id names.
    package func form(_ formID: String) -> Form? {
        let root = FormDefinition.outermostForm(of: formID)
        return forms.first { $0.id.utf8.elementsEqual(root.utf8) }
    }

    /// The part of an operation that lies outside a scope.
    package enum Fault: Hashable, Sendable {
        case form
        case field(Condition)
    }

    /// The first reason why an operation lies outside, from what it says itself; nil where it lies
    /// inside.
    ///
    /// - Parameters:
    ///   - formID: the form of the definition that it names.
    ///   - value: what it writes into the text field of a name, absent where it clears it; nil where
    ///     it does not write it.
    package func fault(
        in kind: RecordsBlock.Kind, of formID: String, _ value: (String) -> FieldValue?
    ) -> Fault? {
        guard let form = form(formID) else { return .form }
        // What a repeat belongs to is not in the operation.
        guard kind == .put || kind == .edit, !formID.utf8.contains(UInt8(ascii: "/")) else {
            return nil
        }
        for condition in form.conditions {
            switch value(condition.field) {
            case nil where kind == .edit: continue
            case .text(let text)?
            where condition.values.contains(where: { $0.utf8.elementsEqual(text.utf8) }):
                continue
            default: return .field(condition)
            }
        }
        return nil
    }

    /// Whether one text comes before another by its bytes.
    static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension RecordsBlock {
    /// The first reason why a row lies outside one of some scopes; nil where it lies inside all.
    package func fault(
        row: Int, outside scopes: [Scope], _ form: FormDefinition
    ) -> Scope.Fault? {
        for scope in scopes {
            let fault = scope.fault(in: kind, of: form.formID) { name in
                fields.firstIndex {
                    form.fields[$0].type == .text
                        && form.fields[$0].name.utf8.elementsEqual(name.utf8)
                }.map { value(row: row, column: $0) }
            }
            if let fault { return fault }
        }
        return nil
    }
}
