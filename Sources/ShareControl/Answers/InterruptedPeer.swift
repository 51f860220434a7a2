/// A peer that was connected during a push and has not confirmed all of it.
package struct InterruptedPeer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    /// Operations of the room that it is not known to have.
    package var missing: Int
    /// Whether it went away before it confirmed; else it had not confirmed when the time was up.
    package var isGone: Bool

    package init(id: String, name: String, missing: Int, isGone: Bool) {
        self.id = id
        self.name = name
        self.missing = missing
        self.isGone = isGone
    }
}
