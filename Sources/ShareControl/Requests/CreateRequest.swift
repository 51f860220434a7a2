/// The body of `POST /v1/rooms`.
package struct CreateRequest: Codable, Hashable, Sendable {
    package var room: String
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool

    package init(room: String, isOpen: Bool = false, isHidden: Bool = false) {
        self.room = room
        self.isOpen = isOpen
        self.isHidden = isHidden
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        room = try container.decode(String.self, forKey: .room)
        isOpen = try container.decodeIfPresent(Bool.self, forKey: .isOpen) ?? false
        isHidden = try container.decodeIfPresent(Bool.self, forKey: .isHidden) ?? false
    }
}
