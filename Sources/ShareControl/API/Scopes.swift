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
    /// The same as people read them, in answers; nil where they are as they are stored.
    package var labels: [String]?

    package init(field: String, values: [String], labels: [String]? = nil) {
        self.field = field
        self.values = values
        self.labels = labels
    }
}
