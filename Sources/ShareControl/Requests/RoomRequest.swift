/// The body of `POST /v1/use` and `POST /v1/leave`.
package struct RoomRequest: Codable, Hashable, Sendable {
    /// A name or an id.
    package var room: String

    package init(room: String) {
        self.room = room
    }
}
