/// Collects warnings up to the limit and counts the rest.
struct FormWarnings {
    private var kept: [FormWarning] = []
    private var count = 0

    mutating func add(_ subject: String?, _ text: String) {
        count += 1
        guard kept.count < FormLimits.warnings else { return }
        kept.append(FormWarning(subject: subject, text: text))
    }

    /// One warning for each expression that nothing here evaluates.
    mutating func add(_ subject: String, _ expressions: Form.Expressions) {
        let parts: [(String, String?)] = [
            ("constraint", expressions.constraint), ("relevant", expressions.relevant),
            ("calculation", expressions.calculation), ("choice_filter", expressions.choiceFilter),
            ("required", expressions.required), ("warn", expressions.warn),
        ]
        for (name, text) in parts where text != nil { add(subject, "\(name): not checked here") }
    }

    var all: [FormWarning] {
        guard count > kept.count else { return kept }
        return kept + [FormWarning(subject: nil, text: "and \(count - kept.count) more")]
    }
}
