/// What a reviewer finds of a record.
package struct ReviewRequest: Codable, Hashable, Sendable {
    /// One of `ReviewState`.
    package var state: String
    package var comment: String?

    package init(state: String, comment: String? = nil) {
        self.state = state
        self.comment = comment
    }
}
