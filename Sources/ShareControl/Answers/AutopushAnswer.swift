/// Whether entries are pushed as they are made.
package struct AutopushAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    package var autopush: Bool

    package init(room: NamedRoom, autopush: Bool) {
        self.room = room
        self.autopush = autopush
    }
}
