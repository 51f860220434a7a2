package import JSON

/// The answer to `add`.
package struct AddedAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var form: String
    /// What people call the record: the name that the form gives it, else the values of the form's
    /// key; null where there are none.
    package var key: String?
    /// The values that the form flags.
    package var warnings: [EntryWarning]

    package init(id: String, form: String, key: String? = nil, warnings: [EntryWarning] = []) {
        self.id = id
        self.form = form
        self.key = key
        self.warnings = warnings
    }
}

/// The answer to `edit` and `delete`.
package struct EditedAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var form: String
    /// As in `AddedAnswer`.
    package var key: String?
    /// The fields whose value is another now.
    package var changed: [String]
    /// The same with the values before and after, as people read them; none of a deleted record.
    package var changes: [ShownChange]
    /// The values that the form flags, and faults that others had before.
    package var warnings: [EntryWarning]

    package init(
        id: String, form: String, key: String? = nil, changed: [String],
        changes: [ShownChange] = [], warnings: [EntryWarning] = []
    ) {
        self.warnings = warnings
        self.id = id
        self.form = form
        self.key = key
        self.changed = changed
        self.changes = changes
    }
}

/// A record that was reviewed, commented on or brought back.
package struct RemarkAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var form: String
    /// As in `AddedAnswer`.
    package var key: String?
    /// The review's state after it; null where there is none.
    package var state: String?

    package init(id: String, form: String, key: String? = nil, state: String? = nil) {
        self.id = id
        self.form = form
        self.key = key
        self.state = state
    }
}

/// The answer to `undo`.
package struct UndoneAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var form: String
    /// As in `AddedAnswer`.
    package var key: String?
    /// Fields that have a value again that they had before.
    package var changes: [ShownChange]
    /// Fields that somebody has changed since, which stay as they are.
    package var left: [String]
    /// Whether the record is deleted now; null where that was not in question.
    package var deleted: Bool?

    package init(
        id: String, form: String, key: String? = nil, changes: [ShownChange] = [],
        left: [String] = [], deleted: Bool? = nil
    ) {
        self.id = id
        self.form = form
        self.key = key
        self.changes = changes
        self.left = left
        self.deleted = deleted
    }
}

/// A field's value before and after something, as people read them: choices by their labels.
package struct ShownChange: Codable, Hashable, Sendable {
    package var field: String
    package var label: String
    /// Empty for no value.
    package var before: String
    package var after: String

    package init(field: String, label: String, before: String, after: String) {
        self.field = field
        self.label = label
        self.before = before
        self.after = after
    }
}

/// One operation on a record.
package struct HistoryEntry: Codable, Hashable, Sendable {
    /// `pending:1`, `pending:2`, … while it is not pushed.
    package var version: String
    package var isPending: Bool { version.hasPrefix("pending") }
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// `put`, `edit`, `delete`, `restore`, `review` or `comment`.
    package var kind: String
    /// For each field a list of its value before, as its author had it, and after.
    package var changed: JSONObject
    /// The same of the form's fields, and those in `kept`, in its order, as people read them.
    package var shown: [ShownChange]
    /// Fields that an edit wrote with the value that they had, which resolves them.
    package var kept: JSONObject
    /// Whether its batch was read again just now, bears its author's signature and says just this,
    /// and the room's rules allow it.
    package var verified: Bool
    /// The versions that its author had before it.
    package var parents: [String]
    /// Versions that had not seen this one, nor it them.
    package var parallel: [String]
    /// Whether nothing has been done on top of it.
    package var head: Bool
    /// Why it has no effect; null if it has.
    package var refused: String?
    /// A review's note, or a comment.
    package var note: String?

    package init(
        version: String, author: String, authorName: String? = nil, at: String, kind: String,
        changed: JSONObject, shown: [ShownChange] = [], kept: JSONObject = [:], verified: Bool,
        parents: [String] = [],
        parallel: [String] = [],
        head: Bool = false, refused: String? = nil, note: String? = nil
    ) {
        self.version = version
        self.author = author
        self.authorName = authorName
        self.at = at
        self.kind = kind
        self.changed = changed
        self.shown = shown
        self.kept = kept
        self.verified = verified
        self.parents = parents
        self.parallel = parallel
        self.head = head
        self.refused = refused
        self.note = note
    }
}

/// Operations that were kept and not applied.
package struct RefusedAnswer: Codable, Hashable, Sendable {
    package var author: String
    package var authorName: String?
    /// The kind of operation, such as `edit`, or the field whose value does not fit.
    package var what: String
    package var reason: String
    package var count: Int
    /// The form and the first record that they are about, and when that was made, by its author's
    /// clock.
    package var form: String?
    package var record: String?
    /// The name of that record for people; nil where there are several, or where it has none.
    package var key: String?
    package var at: String?
    /// The device that a decision is about.
    package var device: NamedDevice?
    /// `control` or `records`.
    package var log: String?
    /// The batch in hexadecimal; nil while it is not sealed.
    package var batch: String?
    /// The remedy, where there is one.
    package var hint: String?
    /// The answers of new entries, which stand nowhere else: of the first hundred of them.
    package var answers: [JSONObject]

    package init(
        author: String, authorName: String? = nil, what: String, reason: String, count: Int,
        form: String? = nil, record: String? = nil, key: String? = nil, at: String? = nil,
        device: NamedDevice? = nil, log: String? = nil,
        batch: String? = nil, hint: String? = nil, answers: [JSONObject] = []
    ) {
        self.answers = answers
        self.key = key
        self.author = author
        self.authorName = authorName
        self.what = what
        self.reason = reason
        self.count = count
        self.form = form
        self.record = record
        self.at = at
        self.device = device
        self.log = log
        self.batch = batch
        self.hint = hint
    }
}

/// The body of adding and editing a record.
package struct ValuesRequest: Codable, Hashable, Sendable {
    /// Text is parsed by the field's type, null clears, other values are taken as they are.
    package var values: JSONObject
    /// Of a change: the answers that its author has seen, as the state call has them, rows with
    /// their `_id`. Nothing is written where it would be over others than these.
    package var seen: JSONObject?

    package init(values: JSONObject, seen: JSONObject? = nil) {
        self.values = values
        self.seen = seen
    }
}

/// A reviewer's finding on a record.
package struct ReviewRequest: Codable, Hashable, Sendable {
    /// One of `ReviewState`.
    package var state: String
    package var comment: String?

    package init(state: String, comment: String? = nil) {
        self.state = state
        self.comment = comment
    }
}

/// A remark on a record.
package struct CommentRequest: Codable, Hashable, Sendable {
    package var text: String

    package init(text: String) { self.text = text }
}

/// The findings that a reviewer can choose from; the states of ODK Central, so that exports mean
/// the same there.
package enum ReviewState: String, CaseIterable, Sendable {
    case received
    case hasIssues
    case rejected
    case approved

    /// The state as people type it: upper and lower case are alike, and `-` and `_` do not count.
    package init?(typed text: String) {
        let wanted = text.lowercased().filter { $0 != "-" && $0 != "_" }
        guard let state = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else {
            return nil
        }
        self = state
    }
}
