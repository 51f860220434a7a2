internal import ShareControl

/// The options that bind a member to forms and areas.
enum ScopeOptions {
    static let options: [CommandSyntax.Option] = [
        .init(
            name: "--forms", value: "FORM,...",
            help: "only entries of these forms, of collectors and contributors"),
        .init(
            name: "--where", value: "FIELD=VALUE,...", repeats: true,
            help: "and only with one of these values in a text or choice field"),
    ]

    /// The scope that is asked for; nil for none.
    ///
    /// - Throws: `Problem` of a wrong call.
    static func scope(
        _ arguments: ParsedArguments, of syntax: CommandSyntax
    ) throws(Problem) -> [ScopeForm]? {
        var conditions: [ScopeCondition] = []
        for text in arguments.values("--where") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let values = parts.count == 2 ? list(parts[1]) : []
            guard !values.isEmpty else {
                throw syntax.problem(
                    "--where needs FIELD=VALUE,..., not '\(Terminal.plain(text))'")
            }
            conditions.append(ScopeCondition(field: parts[0], values: values))
        }
        guard let forms = arguments.value("--forms").map(list) else {
            guard conditions.isEmpty else {
                throw syntax.problem("--where needs --forms: the forms that have the field")
            }
            return nil
        }
        guard !forms.isEmpty else { throw syntax.problem("--forms needs the id of a form") }
        return forms.map { ScopeForm(form: $0, conditions: conditions) }
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
