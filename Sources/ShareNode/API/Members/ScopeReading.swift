import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Scopes as people ask for them, and as they are told.
enum ScopeReading {
    /// The scope that a request names, which the room's forms must have room for.
    ///
    /// - Throws: `Problem` of `bad_request` or `not_found_form`.
    static func scope(
        _ wanted: [ScopeForm]?, for role: Role, in store: RoomStore, _ schemas: SchemaCache
    ) async throws -> Scope? {
        guard var wanted, !wanted.isEmpty else { return nil }
        guard role.takesScope else {
            throw Problem(
                .badRequest, "\(role.phrase) is not bound to forms or areas",
                hint: "Collectors and contributors can be: they enter their own entries alone.")
        }
        for (place, form) in wanted.enumerated() {
            guard let found = await store.form(form.form) else {
                throw Problem(
                    .notFoundForm, "no form \"\(form.form)\"", hint: "See `shared forms`.")
            }
            let fields = Set(
                found.form.fields.filter { $0.type == .text }.map { Array($0.name.utf8) })
            for condition in form.conditions where !fields.contains(Array(condition.field.utf8)) {
                throw Problem(
                    .badRequest, "the form \(form.form) has no text field \(condition.field)",
                    hint: await hint(on: condition, of: form.form, wanted, in: store))
            }
            let schema = schemas.schema(of: found)
            for (position, condition) in form.conditions.enumerated() {
                wanted[place].conditions[position].values = try condition.values.map {
                    try stored($0, in: condition.field, schema)
                }
            }
        }
        let scope = Scope(
            forms: wanted.map { form in
                Scope.Form(
                    id: form.form,
                    conditions: form.conditions.map {
                        Scope.Condition(field: $0.field, values: $0.values)
                    })
            })
        guard scope.isSound else {
            throw Problem(
                .badRequest, "forms, fields or values stand twice, or there are too many",
                hint: "At most \(Limits.formsPerScope) forms, and \(Limits.valuesPerCondition)"
                    + " values of a field.")
        }
        return scope
    }

    /// What to do with a condition on what a form has not: another form that is wanted may have it,
    /// or it names one that is not.
    private static func hint(
        on condition: ScopeCondition, of formID: String, _ wanted: [ScopeForm], in store: RoomStore
    ) async -> String {
        let kinds = "Only text and choices tell areas apart."
        for form in wanted where form.form != formID && form.conditions.contains(condition) {
            let fields = await store.form(form.form)?.form.fields ?? []
            let isThere = fields.contains {
                $0.type == .text && $0.name.utf8.elementsEqual(condition.field.utf8)
            }
            guard isThere, let value = condition.values.first else { continue }
            return "\(kinds) To bind \(form.form) alone write"
                + " \(form.form).\(condition.field)=\(value)."
        }
        let named = await store.forms().map(\.formID).first { name in
            condition.field.hasPrefix("\(name).") && !wanted.contains { $0.form == name }
        }
        return named.map { "Name \($0) among the forms too." }
            ?? "\(kinds) Leave the form out, or make it have the field."
    }

    /// What is stored of a choice that is named as people read it; a text is what it is.
    private static func stored(
        _ typed: String, in field: String, _ schema: FormSchema
    ) throws -> String {
        guard
            let position = schema.place(named: field), schema.form.stored[position].kind.isChoice,
            !schema.form.stored[position].kind.isSeveral,
            case .text(let name) = try schema.parser.value(typed, at: position)
        else { return typed }
        return name
    }

    /// A scope as it is told, with labels of choices as far as their form is here.
    static func answer(
        _ scope: Scope, in store: RoomStore?, _ schemas: SchemaCache
    ) async -> [ScopeForm] {
        var forms: [ScopeForm] = []
        for form in scope.forms {
            let schema = await store?.form(form.id).map { schemas.schema(of: $0) }
            forms.append(
                ScopeForm(
                    form: form.id,
                    conditions: form.conditions.map { condition in
                        let labels = labels(condition.values, of: condition.field, schema)
                        return ScopeCondition(
                            field: condition.field, values: condition.values,
                            labels: labels == condition.values ? nil : labels)
                    }))
        }
        return forms
    }

    /// The same of several.
    static func answers(
        _ scopes: [Scope], in store: RoomStore?, _ schemas: SchemaCache
    ) async -> [[ScopeForm]] {
        var answers: [[ScopeForm]] = []
        for scope in scopes { answers.append(await answer(scope, in: store, schemas)) }
        return answers
    }

    /// Values of a field as people read them.
    static func labels(_ values: [String], of field: String, _ schema: FormSchema?) -> [String] {
        guard let schema, let position = schema.place(named: field) else { return values }
        return values.map { schema.parser.label(ofChoice: $0, at: position) ?? $0 }
    }
}
