/// Something decided about the room that a removal makes void, or an acceptance lets count.
package struct VoidAnswer: Codable, Hashable, Sendable {
    /// The kind of operation, such as `grant`, `role change` or `form`.
    package var what: String
    /// The device that it is about.
    package var device: NamedDevice?
    /// The role that it gives.
    package var role: String?
    /// The form or the setting that it is about.
    package var name: String?
    /// Whether the remover writes it again, in its own log.
    package var repeated: Bool
    /// Entries of other devices that are of a form and go with it.
    package var entries: Int

    package init(
        what: String, device: NamedDevice? = nil, role: String? = nil, name: String? = nil,
        repeated: Bool, entries: Int = 0
    ) {
        self.what = what
        self.device = device
        self.role = role
        self.name = name
        self.repeated = repeated
        self.entries = entries
    }
}
