/// Operations that were kept and not applied.
package struct RefusedAnswer: JSONConvertible {
    package var author: String
    package var authorName: String?
    /// For people, such as `edit of record 7f3c9a12`.
    package var what: String
    package var reason: String
    package var count: Int

    package init(
        author: String, authorName: String? = nil, what: String, reason: String, count: Int
    ) {
        self.author = author
        self.authorName = authorName
        self.what = what
        self.reason = reason
        self.count = count
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        author = try object.get("author")
        authorName = try object.find("author_name")
        what = try object.get("what")
        reason = try object.get("reason")
        count = try object.get("count")
    }

    package var json: JSONValue {
        [
            "author": author.json, "author_name": authorName.json, "what": what.json,
            "reason": reason.json, "count": count.json,
        ]
    }
}
