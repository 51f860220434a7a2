/// What a room's owners have set for all its members.
package struct RoomSettingsAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// Whether anybody nearby may join without a code.
    package var isOpen: Bool
    /// Whether the room is kept from strangers.
    package var isHidden: Bool

    package init(room: NamedRoom, isOpen: Bool, isHidden: Bool) {
        self.room = room
        self.isOpen = isOpen
        self.isHidden = isHidden
    }
}
