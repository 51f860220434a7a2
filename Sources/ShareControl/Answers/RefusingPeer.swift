/// A peer that refused operations of ours.
package struct RefusingPeer: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var refused: Int
    package var reason: String

    package init(id: String, name: String, refused: Int, reason: String) {
        self.id = id
        self.name = name
        self.refused = refused
        self.reason = reason
    }
}
