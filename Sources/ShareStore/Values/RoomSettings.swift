/// What a room's control logs say of it as a whole.
package struct RoomSettings: Hashable, Sendable {
    package var name: String
    package var isOpen: Bool
    /// Every setting by its key.
    package var values: [String: String]
}
