package import JSON

/// A record whose conflicts were settled.
package struct ResolvedAnswer: JSONConvertible {
    package var id: String
    /// Fields that were written.
    package var changed: [String]
    /// Whether it is deleted now; null where that was not in question.
    package var deleted: Bool?
    /// Fields that are in conflict still; `_deleted` for a delete beside an edit.
    package var left: [String]

    package init(id: String, changed: [String], deleted: Bool? = nil, left: [String]) {
        self.id = id
        self.changed = changed
        self.deleted = deleted
        self.left = left
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        changed = try object.get("changed")
        deleted = try object.find("deleted")
        left = try object.get("left")
    }

    package var json: JSONValue {
        ["id": id.json, "changed": changed.json, "deleted": deleted.json, "left": left.json]
    }
}
