package import JSON

/// One of the parallel values of a field.
package struct ConflictValue: Codable, Hashable, Sendable {
    package var value: JSONValue
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// The version that says so; `pending` while it is not pushed.
    package var version: String
    /// What an edit beside a delete wrote; null elsewhere.
    package var changed: JSONObject?

    package init(
        value: JSONValue, author: String, authorName: String? = nil, at: String, version: String,
        changed: JSONObject? = nil
    ) {
        self.value = value
        self.author = author
        self.authorName = authorName
        self.at = at
        self.version = version
        self.changed = changed
    }
}
