/// A room by its name and its id.
package struct NamedRoom: Codable, Hashable, Sendable {
    package var name: String
    /// `room:` and 52 characters.
    package var id: String

    package init(name: String, id: String) {
        self.name = name
        self.id = id
    }
}
