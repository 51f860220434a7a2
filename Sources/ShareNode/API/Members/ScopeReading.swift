import ShareControl
import ShareCore
import ShareStore

/// Scopes as people ask for them, and as they are told.
enum ScopeReading {
    /// The scope that a request names, which the room's forms must have room for.
    ///
    /// - Throws: `Problem` of `bad_request` or `not_found_form`.
    static func scope(
        _ wanted: [ScopeForm]?, for role: Role, in store: RoomStore
    ) async throws -> Scope? {
        guard let wanted, !wanted.isEmpty else { return nil }
        guard role.takesScope else {
            throw Problem(
                .badRequest, "\(role.phrase) is not bound to forms or areas",
                hint: "Collectors and contributors can be: they enter their own entries alone.")
        }
        for form in wanted {
            guard let found = await store.form(form.form) else {
                throw Problem(
                    .notFoundForm, "no form \"\(form.form)\"", hint: "See `shared forms`.")
            }
            let fields = Set(
                found.form.fields.filter { $0.type == .text }.map { Array($0.name.utf8) })
            for condition in form.conditions where !fields.contains(Array(condition.field.utf8)) {
                throw Problem(
                    .badRequest, "the form \(form.form) has no text field \(condition.field)",
                    hint: "Only text and choices tell areas apart; leave the form out, or make it"
                        + " have the field.")
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

    static func answer(_ scope: Scope) -> [ScopeForm] {
        scope.forms.map { form in
            ScopeForm(
                form: form.id,
                conditions: form.conditions.map {
                    ScopeCondition(field: $0.field, values: $0.values)
                })
        }
    }
}
