/// A record whose conflicts were settled.
package struct ResolvedAnswer: Codable, Hashable, Sendable {
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
}
