/// One record as people read it: labels, choices by their labels, units, names of devices.
package struct EntryView: Codable, Hashable, Sendable {
    package var id: String
    package var form: String
    package var title: String
    /// The name that the form gives it, else the values of the form's key, a space between them;
    /// null where there are none. Of a row of a repeat, those of the entry that it is in.
    package var key: String?
    /// The device that made it.
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC; null for a deleted record.
    package var created: String?
    package var updated: String?
    package var deleted: Bool
    /// Who changed it last and when, reviews and comments aside; null where nobody has.
    package var change: EntryRemark?
    /// Its fields with a value, in the order of the form; last those that the form has no more.
    package var fields: [ShownField]
    /// Its repeats that have rows.
    package var repeats: [ShownRepeat]
    /// The review that counts; null where there is none.
    package var review: EntryRemark?
    /// Whether it was changed after that review, or by somebody whom the reviewer had not heard of.
    package var changedSinceReview = false
    package var comments: [EntryRemark]
    /// Names of its fields in conflict; `_deleted` and `_state` as in `ConflictAnswer`.
    package var conflicts: [String]
    /// How it breaks the form in force.
    package var problems: [EntryProblem]
    /// What the form flags in it.
    package var warnings: [EntryWarning]
    /// The operations on it, oldest first; empty where nobody asked.
    package var history: [HistoryEntry]
    /// Why it, or a change of it, stays on this device, and what can be done; null where it does
    /// not.
    package var onlyHere: String?
    /// The operations on it that stay so, oldest first.
    package var withheld: [HistoryEntry] = []

    package init(
        id: String, form: String, title: String, key: String?, author: String,
        authorName: String?, created: String?, updated: String?, deleted: Bool,
        fields: [ShownField], repeats: [ShownRepeat] = [], review: EntryRemark? = nil,
        comments: [EntryRemark] = [],
        conflicts: [String] = [], problems: [EntryProblem] = [], warnings: [EntryWarning] = [],
        history: [HistoryEntry] = []
    ) {
        self.problems = problems
        self.warnings = warnings
        self.id = id
        self.form = form
        self.title = title
        self.key = key
        self.author = author
        self.authorName = authorName
        self.created = created
        self.updated = updated
        self.deleted = deleted
        self.fields = fields
        self.repeats = repeats
        self.review = review
        self.comments = comments
        self.conflicts = conflicts
        self.history = history
    }
}

extension EntryView {
    /// Whether all of it stays on this device.
    package var isWithheld: Bool { withheld.contains { $0.kind == "put" } }
}

/// A field of a record as people read it.
package struct ShownField: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var value: String
    /// For instance `Cel`; null where the value carries it, as `70%`, or there is none.
    package var unit: String?

    package init(name: String, label: String, value: String, unit: String? = nil) {
        self.name = name
        self.label = label
        self.value = value
        self.unit = unit
    }
}

/// A repeat of a record as people read it.
package struct ShownRepeat: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var rows: [ShownRow]

    package init(name: String, label: String, rows: [ShownRow]) {
        self.name = name
        self.label = label
        self.rows = rows
    }
}

/// A row of a repeat as people read it.
package struct ShownRow: Codable, Hashable, Sendable {
    /// That of its repeat with its own answers put in, where it names such.
    package var label: String?
    package var fields: [ShownField]
    package var repeats: [ShownRepeat]

    package init(label: String? = nil, fields: [ShownField], repeats: [ShownRepeat]) {
        self.label = label
        self.fields = fields
        self.repeats = repeats
    }
}

/// A review or a comment as people read it.
package struct EntryRemark: Codable, Hashable, Sendable {
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// A review's state; null for a comment.
    package var state: String?
    package var text: String?

    package init(
        author: String, authorName: String?, at: String, state: String? = nil,
        text: String? = nil
    ) {
        self.author = author
        self.authorName = authorName
        self.at = at
        self.state = state
        self.text = text
    }
}

/// The first line of a list of records, where its reader asks for one.
package struct ListHead: Codable, Hashable, Sendable {
    package var form: String
    package var title: String
    /// Names of the form's key fields.
    package var key: [String]
    /// Whether the form gives its records names (`_name`).
    package var isNamed: Bool
    /// Names of all columns, in the order of the form, then its repeats; last those that it has no
    /// more.
    package var columns: [String]
    /// Names of those columns that the form has no more.
    package var former: [String]
    /// Records of the form, wanted or not.
    package var total: Int
    /// How many fit the conditions, where there are some and a limit too; `mostFitting` where
    /// more do.
    package var fitting: Int?
    /// True where more fit than `fitting` says.
    package var fitsMore = false
    /// Entries that a condition misses, as they answer a field of an earlier version.
    package var earlier: [EarlierMatch]
    /// A condition that finds entries where those given find none, as nothing is written exactly so.
    package var alike: AlikeMatch?
    /// The names of the columns that are asked for, by their names or labels, in that order.
    package var wanted: [String]?
    /// Records that were deleted since, where a list is of what was made or changed since.
    package var deleted: Int?

    /// Records that fit are counted so far, so that a page of a large room does not wait for all.
    package static let mostFitting = 10_000

    package init(
        form: String, title: String, key: [String], isNamed: Bool = false, columns: [String],
        former: [String], total: Int, earlier: [EarlierMatch] = []
    ) {
        self.earlier = earlier
        self.isNamed = isNamed
        self.form = form
        self.title = title
        self.key = key
        self.columns = columns
        self.former = former
        self.total = total
    }
}

/// Entries for which a condition holds in an earlier version of their form.
package struct EarlierMatch: Codable, Hashable, Sendable {
    /// The field that was asked for.
    package var field: String
    /// The condition that finds them: `members__integer=4`.
    package var condition: String
    package var entries: Int

    package init(field: String, condition: String, entries: Int) {
        self.field = field
        self.condition = condition
        self.entries = entries
    }
}

/// Entries that have the text of a condition as a part, or in other letters, where none is written
/// exactly so.
package struct AlikeMatch: Codable, Hashable, Sendable {
    /// The condition that finds them: `name~ann` for `name=ann`.
    package var condition: String
    package var entries: Int

    package init(condition: String, entries: Int) {
        self.condition = condition
        self.entries = entries
    }
}
