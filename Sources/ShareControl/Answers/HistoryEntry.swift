/// One version of a record.
package struct HistoryEntry: JSONConvertible {
    package var version: String
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String
    /// `put`, `edit`, `delete` or `restore`.
    package var kind: String
    /// For each field a list of its value before and after.
    package var changed: JSONObject
    /// Whether its batch's signature was checked.
    package var verified: Bool

    package init(
        version: String, author: String, authorName: String? = nil, at: String, kind: String,
        changed: JSONObject, verified: Bool
    ) {
        self.version = version
        self.author = author
        self.authorName = authorName
        self.at = at
        self.kind = kind
        self.changed = changed
        self.verified = verified
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        version = try object.get("version")
        author = try object.get("author")
        authorName = try object.find("author_name")
        at = try object.get("at")
        kind = try object.get("kind")
        changed = try object.get("changed")
        verified = try object.get("verified")
    }

    package var json: JSONValue {
        [
            "version": version.json, "author": author.json, "author_name": authorName.json,
            "at": at.json, "kind": kind.json, "changed": changed.json, "verified": verified.json,
        ]
    }
}
