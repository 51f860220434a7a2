/// A record that was reviewed, commented on or brought back.
package struct RemarkAnswer: Codable, Hashable, Sendable {
    package var id: String
    /// The review's state after it; null where there is none.
    package var state: String?

    package init(id: String, state: String? = nil) {
        self.id = id
        self.state = state
    }
}
