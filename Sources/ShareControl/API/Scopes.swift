/// A form that a member may fill in, as an assignment says; entries with other values are refused.
package struct ScopeForm: Codable, Hashable, Sendable {
    package var form: String
    /// All of them hold.
    package var conditions: [ScopeCondition]

    package init(form: String, conditions: [ScopeCondition] = []) {
        self.form = form
        self.conditions = conditions
    }
}

/// A field that must have one of some values.
package struct ScopeCondition: Codable, Hashable, Sendable {
    package var field: String
    package var values: [String]

    package init(field: String, values: [String]) {
        self.field = field
        self.values = values
    }
}
