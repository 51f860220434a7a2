/// A device by its id and by the name that people gave it.
package struct NamedDevice: Codable, Hashable, Sendable {
    /// `dev:` and 52 characters.
    package var id: String
    package var name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
