/// One room that this device is in.
package struct RoomAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var id: String
    package var role: String
    package var current: Bool
    /// How this device came to be no member any more; nil while it is one.
    package var removed: RemovalAnswer?
    /// Whether it was to be left, which came to nothing: this device is the only owner.
    package var notLeft: Bool
    /// Why the room cannot be used, where its file could not be opened (role `damaged`).
    package var problem: Problem?

    package init(
        name: String, id: String, role: String, current: Bool, removed: RemovalAnswer? = nil,
        notLeft: Bool = false, problem: Problem? = nil
    ) {
        self.notLeft = notLeft
        self.problem = problem
        self.name = name
        self.id = id
        self.role = role
        self.current = current
        self.removed = removed
    }
}
