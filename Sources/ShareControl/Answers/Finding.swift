package import JSON

/// Something that `verify` found wrong.
package struct Finding: JSONConvertible {
    /// Where in the file, by the names that its tables have.
    package var place: String
    /// Of a cause, a sentence that says it all.
    package var what: String
    package var hint: String?
    /// Whether it is no cause: a table, an index or a note that is not what the batches come to.
    package var follows: Bool
    /// How many findings it stands for; more than 1 for those that are not listed.
    package var count: Int

    package init(
        place: String, what: String, hint: String? = nil, follows: Bool = false, count: Int = 1
    ) {
        self.follows = follows
        self.count = count
        self.place = place
        self.what = what
        self.hint = hint
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        place = try object.get("where")
        what = try object.get("what")
        hint = try object.find("hint")
        follows = try object.find("follows") ?? false
        count = try object.find("count") ?? 1
    }

    package var json: JSONValue {
        [
            "where": place.json, "what": what.json, "hint": hint.json, "follows": follows.json,
            "count": count.json,
        ]
    }
}
