package import JSON

/// What one side did to a record.
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
