import ShareCore

/// Pushes entries of rooms that want it: at once while everything sent has been acknowledged,
/// else gathered for up to 50 ms.
package actor Autopush {
    private var busy: Set<RoomID> = []
    private var again: Set<RoomID> = []

    /// How long entries are gathered while peers are at work on earlier ones.
    private static let gathering = Duration.milliseconds(50)

    /// After a push that failed it is tried again.
    private static let pause = Duration.seconds(5)

    /// An entry was made in a room; `push` seals and answers when everybody in reach has it, or
    /// the time is up; false if it failed.
    func note(_ room: RoomID, push: @escaping @Sendable (Duration) async -> Bool) {
        guard busy.insert(room).inserted else {
            again.insert(room)
            return
        }
        Task {
            repeat {
                self.begin(room)
                if await !push(Self.gathering) {
                    try? await Task.sleep(for: Self.pause)
                    self.again.insert(room)
                }
            } while self.isWanted(room)
        }
    }

    private func begin(_ room: RoomID) { again.remove(room) }

    private func isWanted(_ room: RoomID) -> Bool {
        if again.contains(room) { return true }
        busy.remove(room)
        return false
    }
}
