package import JSON

/// One operation on a record.
package struct HistoryEntry: Codable, Hashable, Sendable {
    /// `pending:1`, `pending:2`, … while it is not pushed.
    package var version: String
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// `put`, `edit`, `delete`, `restore`, `review` or `comment`.
    package var kind: String
    /// For each field a list of its value before, as its author had it, and after.
    package var changed: JSONObject
    /// Fields that an edit wrote with the value that they had, which settles them.
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
        changed: JSONObject, kept: JSONObject = [:], verified: Bool, parents: [String] = [],
        parallel: [String] = [],
        head: Bool = false, refused: String? = nil, note: String? = nil
    ) {
        self.version = version
        self.author = author
        self.authorName = authorName
        self.at = at
        self.kind = kind
        self.changed = changed
        self.kept = kept
        self.verified = verified
        self.parents = parents
        self.parallel = parallel
        self.head = head
        self.refused = refused
        self.note = note
    }
}
