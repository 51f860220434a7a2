package import ShareCore

/// Which records of a form are wanted, and in which order.
package struct RecordQuery: Sendable {
    /// What a condition looks at, and what records are sorted by.
    package enum Subject: Hashable, Sendable {
        case column(String)
        case id
        case author
        case created
        case updated
        case state
    }

    /// A subject that must have this value; `.absent` for none.
    package struct Condition: Hashable, Sendable {
        package let subject: Subject
        package let value: FieldValue

        package init(_ subject: Subject, equals value: FieldValue) {
            self.subject = subject
            self.value = value
        }
    }

    package var conditions: [Condition]
    package var sort: Subject?
    package var isDescending: Bool
    package var limit: Int?

    package init(
        where conditions: [Condition] = [], sort: Subject? = nil, isDescending: Bool = false,
        limit: Int? = nil
    ) {
        self.conditions = conditions
        self.sort = sort
        self.isDescending = isDescending
        self.limit = limit
    }
}
