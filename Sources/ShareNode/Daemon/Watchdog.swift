import ShareStore
import Synchronization

/// Tells whether the daemon still does its work: each look asks the parts that everything goes
/// through, and the next look tells whether they have answered.
///
/// It has no clock of its own, so that an idle daemon wakes for nothing but the watchdog.
final class Watchdog: Sendable {
    private let sync: SyncService
    private let rooms: RoomBook
    private let unanswered = Mutex(0)

    /// Looks in a row that may find the last question unanswered. A large merge or import keeps a
    /// room's store busy for seconds, but sessions and the list of rooms answer meanwhile.
    private static let patience = 3

    init(sync: SyncService, rooms: RoomBook) {
        self.sync = sync
        self.rooms = rooms
    }

    func isBeating() -> Bool {
        let count = unanswered.withLock { count in
            count += 1
            return count
        }
        if count == 1 {
            Task {
                _ = await sync.connectedKeys()
                _ = await rooms.currentRoom
                unanswered.withLock { $0 = 0 }
            }
        }
        return count <= Self.patience
    }
}
