/// One form of a room.
package struct FormAnswer: Codable, Hashable, Sendable {
    package var formID: String
    package var title: String
    package var version: String
    package var records: Int

    package init(formID: String, title: String, version: String, records: Int) {
        self.formID = formID
        self.title = title
        self.version = version
        self.records = records
    }
}

/// The answer to adding a form or a new version of it.
package struct FormAddedAnswer: Codable, Hashable, Sendable {
    package var formID: String
    package var version: String
    /// `added`, `updated` or `unchanged`.
    package var change: String
    /// Those of another type than before are among these and among `removedFields`.
    package var addedFields: [String]
    /// They keep their columns.
    package var removedFields: [String]
    package var warnings: [String]
    /// The values that entries have in fields or choices no longer asked or offered, asked otherwise,
    /// or asked again.
    package var kept: [Kept]?
    /// Entries that do not fit the new version, as they are.
    package var invalid: Invalid?

    /// How many entries break a form, and by which field they do.
    package struct Invalid: Codable, Hashable, Sendable {
        package var entries: Int
        /// The commonest first; an entry may be among several.
        package var reasons: [Kept]

        package init(entries: Int, reasons: [Kept]) {
            self.entries = entries
            self.reasons = reasons
        }
    }

    /// How many entries have a value that the new version asks otherwise, or not at all.
    package struct Kept: Codable, Hashable, Sendable {
        package var field: String
        package var entries: Int
        /// As a clause: `which is not asked any more`.
        package var what: String

        package init(field: String, entries: Int, what: String) {
            self.field = field
            self.entries = entries
            self.what = what
        }
    }

    package init(
        formID: String, version: String, change: String, addedFields: [String],
        removedFields: [String], warnings: [String], kept: [Kept]? = nil
    ) {
        self.kept = kept
        self.formID = formID
        self.version = version
        self.change = change
        self.addedFields = addedFields
        self.removedFields = removedFields
        self.warnings = warnings
    }
}
