/// One form of a room.
package struct FormAnswer: Codable, Hashable, Sendable {
    package var formID: String
    package var title: String
    package var version: String
    package var records: Int
    /// That people have changed it at once; nil where nobody has, or it was changed since.
    package var parallel: ParallelForm?

    package init(
        formID: String, title: String, version: String, records: Int,
        parallel: ParallelForm? = nil
    ) {
        self.formID = formID
        self.title = title
        self.version = version
        self.records = records
        self.parallel = parallel
    }
}

/// Definitions of one form with other content that devices made at once: neither had seen the
/// other's, and nobody has added one since.
package struct ParallelForm: Codable, Hashable, Sendable {
    package var form: String
    package var inForce: FormVersionAnswer
    /// The latest first.
    package var others: [FormVersionAnswer]

    package init(form: String, inForce: FormVersionAnswer, others: [FormVersionAnswer]) {
        self.form = form
        self.inForce = inForce
        self.others = others
    }
}

/// A definition of a form, and who made it when.
package struct FormVersionAnswer: Codable, Hashable, Sendable {
    package var version: String
    package var by: NamedDevice
    /// RFC 3339, by that device's own clock.
    package var at: String

    package init(version: String, by: NamedDevice, at: String) {
        self.version = version
        self.by = by
        self.at = at
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
