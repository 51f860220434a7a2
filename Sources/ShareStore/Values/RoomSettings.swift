/// What a room's control logs say of it as a whole.
package struct RoomSettings: Hashable, Sendable {
    package var name: String
    /// Whether anybody nearby may join. A hidden room is never open.
    package var isOpen: Bool
    /// Whether the room is kept from strangers: not advertised, and not told of.
    package var isHidden: Bool
    /// Every setting by its key.
    package var values: [String: String]
}
