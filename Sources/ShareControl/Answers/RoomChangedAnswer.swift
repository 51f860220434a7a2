/// The answer to `use`: the room that it was about.
package struct RoomChangedAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom

    package init(room: NamedRoom) {
        self.room = room
    }
}
