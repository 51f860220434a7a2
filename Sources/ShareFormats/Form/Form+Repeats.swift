internal import JSON
package import ShareCore

/// The forms that a form's repeats are (docs/protocol.md, "Repeats").
extension Form {
    /// Whether it is that of a repeat, whose rows belong to entries of another form.
    package var isRepeat: Bool { FormDefinition.isRepeat(formID) }

    /// The form's definition and those of its repeats, an outer one before those in it.
    ///
    /// - Parameter parents: the definitions that one of these forms replaces.
    package func definitions(parents: (String) -> [OperationName]) -> [FormDefinition] {
        let json = JSONValue.object(["repeat_of": .string(formID), "version": .string(version)])
        return [definition(parents: parents(formID))]
            + repeats.map { one in
                let id = formID(of: one)
                return FormDefinition(
                    formID: id, version: version, parents: parents(id),
                    fields: Form.bareFields(of: one),
                    json: String(decoding: json.text, as: UTF8.self))
            }
    }

    /// The id of a repeat's form.
    package func formID(of one: Repeat) -> String {
        ([formID] + one.names).joined(separator: "/")
    }

    /// A repeat as a form of its own: whose row it is, its place, and what it asks. Nil where this
    /// form has no such repeat, or another of these fields.
    package func form(ofRepeat definition: FormDefinition) -> Form? {
        guard
            let (one, content) = Form.repeats(in: content).first(where: {
                formID(of: $0.0) == definition.formID
            }), Form.bareFields(of: one) == definition.fields
        else { return nil }
        let own = FormDefinition.repeatFields.map {
            Element.field(Field(bare: $0, kind: $0.type == .text ? .hidden : .integer))
        }
        return Form(
            formID: definition.formID, version: definition.version, title: one.group.label,
            defaultLanguage: defaultLanguage, content: own + content, lists: lists, key: [],
            instanceName: nil, warnings: [], json: definition.json)
    }

    private static func bareFields(of one: Repeat) -> [FormField] {
        FormDefinition.repeatFields
            + one.stored.map { FormField(name: $0.name, type: $0.storage ?? .text) }
    }

    /// All repeats with what lies in them.
    private static func repeats(in content: [Element]) -> [(Repeat, [Element])] {
        content.flatMap { element -> [(Repeat, [Element])] in
            switch element {
            case .field: []
            case .group(_, let inner): repeats(in: inner)
            case .repeat(let one, let inner): [(one, inner)] + repeats(in: inner)
            }
        }
    }
}
