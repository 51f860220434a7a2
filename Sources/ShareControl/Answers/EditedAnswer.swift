/// The answer to `edit` and `delete`.
package struct EditedAnswer: Codable, Hashable, Sendable {
    package var id: String
    /// The fields whose value is another now.
    package var changed: [String]

    package init(id: String, changed: [String]) {
        self.id = id
        self.changed = changed
    }
}
