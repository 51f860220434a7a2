package import JSON

/// Values of one field that were written unseen by each other, of which one shows.
package struct ConflictAnswer: Codable, Hashable, Sendable {
    package var record: String
    package var creator: String
    package var form: String
    /// The values of the form's key as people name the record by; null where there are none.
    package var key: String?
    /// `_deleted` for a delete beside an edit, `_state` for reviews.
    package var field: String
    package var winner: ConflictValue
    package var losers: [ConflictValue]

    package init(
        record: String, creator: String, form: String, key: String? = nil, field: String,
        winner: ConflictValue, losers: [ConflictValue]
    ) {
        self.record = record
        self.creator = creator
        self.form = form
        self.key = key
        self.field = field
        self.winner = winner
        self.losers = losers
    }
}

/// One of the parallel values of a field.
package struct ConflictValue: Codable, Hashable, Sendable {
    package var value: JSONValue
    /// The same as people read it, choices by their labels; null where it is no field's.
    package var shown: String?
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// The version that says so; `pending` while it is not pushed.
    package var version: String
    /// The fields that an edit beside a delete wrote, or of a row that was entered in what is
    /// deleted, `person/age`; null elsewhere.
    package var changed: JSONObject?

    package init(
        value: JSONValue, shown: String? = nil, author: String, authorName: String? = nil,
        at: String, version: String, changed: JSONObject? = nil
    ) {
        self.value = value
        self.shown = shown
        self.author = author
        self.authorName = authorName
        self.at = at
        self.version = version
        self.changed = changed
    }
}

/// A record that was changed on several sides, unseen by each other, all of which stands.
package struct ParallelAnswer: Codable, Hashable, Sendable {
    package var record: String
    package var creator: String
    package var form: String
    /// As in `ConflictAnswer`.
    package var key: String?
    /// Oldest first.
    package var branches: [ParallelBranch]

    package init(
        record: String, creator: String, form: String, key: String? = nil,
        branches: [ParallelBranch]
    ) {
        self.record = record
        self.creator = creator
        self.form = form
        self.key = key
        self.branches = branches
    }
}

/// The changes that one side made to a record.
package struct ParallelBranch: Codable, Hashable, Sendable {
    /// Its last version; `pending` while that is not pushed.
    package var version: String
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// The value of each field that it wrote.
    package var changed: JSONObject
    /// Whether it deleted or restored the record; null if neither.
    package var deleted: Bool?
    /// The state that a review gave.
    package var state: String?

    package init(
        version: String, author: String, authorName: String? = nil, at: String,
        changed: JSONObject, deleted: Bool? = nil, state: String? = nil
    ) {
        self.version = version
        self.author = author
        self.authorName = authorName
        self.at = at
        self.changed = changed
        self.deleted = deleted
        self.state = state
    }
}

/// A record whose conflicts were resolved.
package struct ResolvedAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var form: String
    /// As in `ConflictAnswer`.
    package var key: String?
    /// Fields that were written.
    package var changed: [String]
    /// Whether it is deleted now; null where that was not in question.
    package var deleted: Bool?
    /// Fields that are in conflict still; `_deleted` for a delete beside an edit.
    package var left: [String]

    package init(
        id: String, form: String, key: String? = nil, changed: [String], deleted: Bool? = nil,
        left: [String]
    ) {
        self.id = id
        self.form = form
        self.key = key
        self.changed = changed
        self.deleted = deleted
        self.left = left
    }
}

/// How a record's conflicts are to be resolved: by values, or by what is there.
package struct ResolveRequest: Codable, Hashable, Sendable {
    /// The side to keep where no value is given.
    package enum Side: String, JSONWord, Sendable {
        /// The value that shows now.
        case shown
        /// The one other value.
        case other
    }

    /// As for editing: text is parsed by the field's type, null clears.
    package var values: JSONObject
    /// Null where values alone decide.
    package var keep: Side?

    package init(values: JSONObject = JSONObject(), keep: Side? = nil) {
        self.values = values
        self.keep = keep
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        values = try container.decodeIfPresent(JSONObject.self, forKey: .values) ?? JSONObject()
        keep = try container.decodeIfPresent(Side.self, forKey: .keep)
    }
}
