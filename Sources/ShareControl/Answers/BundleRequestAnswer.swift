/// A device that asks, in a bundle, to be admitted.
package struct BundleRequestAnswer: Codable, Hashable, Sendable {
    package var id: String
    /// What it calls itself.
    package var name: String
    /// When it asked, by its own clock.
    package var asked: String
    /// The role that it has in the room already; nil for none.
    package var role: String?
    /// The role that it had before it was admitted just now; nil for none, and where nobody was
    /// admitted.
    package var before: String?

    package init(id: String, name: String, asked: String, role: String?) {
        self.id = id
        self.name = name
        self.asked = asked
        self.role = role
    }
}
