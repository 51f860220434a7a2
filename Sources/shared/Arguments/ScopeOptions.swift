internal import ShareControl

/// The options that bind a member to forms and areas.
enum ScopeOptions {
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "--forms", value: "FORM,...",
            help: "only entries of these forms, of collectors and contributors"),
        .init(
            name: "--where", value: "FIELD=VALUE,...", repeats: true,
            help: "and only with one of these values in a text or choice field; FORM.FIELD of one"
                + " form alone"),
    ]

    /// The scope that is asked for; nil for none.
    ///
    /// - Throws: `Problem` of a wrong call.
    static func scope(
        _ arguments: ParsedArguments, of syntax: CommandSyntax
    ) throws(Problem) -> [ScopeForm]? {
        let forms = arguments.value("--forms").map(list)
        var conditions: [(form: String?, condition: ScopeCondition)] = []
        for text in arguments.values("--where") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let values = parts.count == 2 ? list(parts[1]) : []
            guard !values.isEmpty else {
                throw syntax.problem(
                    "--where needs FIELD=VALUE,..., not '\(Terminal.plain(text))'")
            }
            let (form, field) = split(parts[0], forms ?? [])
            conditions.append((form, ScopeCondition(field: field, values: values)))
        }
        guard let forms else {
            guard conditions.isEmpty else {
                throw syntax.problem("--where needs --forms: the forms that have the field")
            }
            return nil
        }
        guard !forms.isEmpty else { throw syntax.problem("--forms needs the id of a form") }
        return forms.map { form in
            ScopeForm(
                form: form,
                conditions: conditions.filter { $0.form ?? form == form }.map(\.condition))
        }
    }

    /// The form that a condition binds alone, and the field: `visit.area` is the field area of visit
    /// where that is one of the forms. Names of both may have points in them, so the longest form
    /// counts; a field of all forms that is called so is reached through each of them.
    private static func split(_ name: String, _ forms: [String]) -> (form: String?, field: String) {
        let form = forms.filter { name.utf8.count > $0.utf8.count + 1 && name.hasPrefix("\($0).") }
            .max { $0.utf8.count < $1.utf8.count }
        guard let form else { return (nil, name) }
        return (form, String(name.dropFirst(form.count + 1)))
    }

    /// What a shell completes `--where` to, by the forms that are named so far.
    ///
    /// - Parameter fields: `FIELD=` and `FIELD=CHOICE` of a form.
    static func completions(
        of arguments: [String], _ fields: (String) -> [String]
    ) -> [String] {
        guard let place = arguments.lastIndex(of: "--forms"), place + 1 < arguments.count else {
            return []
        }
        let forms = list(arguments[place + 1])
        let own = forms.map { form in (form: form, fields: fields(form)) }
        guard forms.count > 1, let first = own.first else { return own.first?.fields ?? [] }
        let common = first.fields.filter { field in own.allSatisfy { $0.fields.contains(field) } }
        return common + own.flatMap { one in one.fields.map { "\(one.form).\($0)" } }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { part in
            let part = part.drop { $0 == " " }
            return String(part.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// A role with what is assigned to it: `collector for household where village is Koro`.
    ///
    /// - Parameter isTold: whether it is said that nothing bounds it, too: `collector, everywhere`.
    static func text(_ role: String, _ scopes: [[ScopeForm]], isTold: Bool = false) -> String {
        let role = Terminal.plain(role)
        guard scopes.isEmpty else {
            return "\(role) for " + scopes.map(text).joined(separator: ", and of that ")
        }
        return isTold && ["collector", "contributor"].contains(role) ? "\(role), everywhere" : role
    }

    /// What an assignment allows, on one line.
    static func text(_ scope: [ScopeForm]) -> String {
        scope.map { form in
            let conditions = form.conditions.map {
                let values = ($0.labels ?? $0.values).map { Terminal.plain($0) }
                return "\(Terminal.plain($0.field)) is \(values.joined(separator: " or "))"
            }
            return Terminal.plain(form.form)
                + (conditions.isEmpty ? "" : " where \(conditions.joined(separator: " and "))")
        }.joined(separator: "; ")
    }
}
