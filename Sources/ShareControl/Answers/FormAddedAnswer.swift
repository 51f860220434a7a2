/// The answer to adding a form or a new version of it.
package struct FormAddedAnswer: Codable, Hashable, Sendable {
    package var formID: String
    package var version: String
    /// `added`, `updated` or `unchanged`.
    package var change: String
    package var addedFields: [String]
    /// They keep their columns.
    package var removedFields: [String]
    package var warnings: [String]

    package init(
        formID: String, version: String, change: String, addedFields: [String],
        removedFields: [String], warnings: [String]
    ) {
        self.formID = formID
        self.version = version
        self.change = change
        self.addedFields = addedFields
        self.removedFields = removedFields
        self.warnings = warnings
    }
}
