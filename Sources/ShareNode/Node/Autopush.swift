import ShareCore

/// Pushes entries of rooms that want it: at once while everything sent has been acknowledged,
/// else gathered for up to 50 ms.
package actor Autopush {
    private var busy: Set<RoomID> = []
    private var again: Set<RoomID> = []

    /// How long entries are gathered while peers are at work on earlier ones.
    private static let gathering = Duration.milliseconds(50)

    /// An entry was made in a room; `push` seals and answers when everybody in reach has it.
    func note(_ room: RoomID, push: @escaping @Sendable (Duration) async -> Void) {
        guard busy.insert(room).inserted else {
            again.insert(room)
            return
        }
        Task {
            repeat {
                self.begin(room)
                await push(Self.gathering)
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
