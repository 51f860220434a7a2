/// One of the parallel values of a field.
package struct ConflictValue: JSONConvertible {
    package var value: JSONValue
    package var author: String
    package var authorName: String?
    /// RFC 3339, UTC.
    package var at: String

    package init(value: JSONValue, author: String, authorName: String? = nil, at: String) {
        self.value = value
        self.author = author
        self.authorName = authorName
        self.at = at
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        value = try object.get("value")
        author = try object.get("author")
        authorName = try object.find("author_name")
        at = try object.get("at")
    }

    package var json: JSONValue {
        ["value": value.json, "author": author.json, "author_name": authorName.json, "at": at.json]
    }
}
