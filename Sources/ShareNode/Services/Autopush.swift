import ShareCore

/// Pushes entries of rooms that want it: at once while everything sent has been acknowledged,
/// else gathered for up to 50 ms.
actor Autopush {
    private let rooms: RoomBook
    private let sealing: Sealing
    private let sync: SyncService
    private let log: Log
    private var busy: Set<RoomID> = []
    private var again: Set<RoomID> = []

    /// How long entries are gathered while peers are at work on earlier ones.
    private static let gathering = Duration.milliseconds(50)

    /// After a push that failed it is tried again.
    private static let pause = Duration.seconds(5)

    init(rooms: RoomBook, sealing: Sealing, sync: SyncService, log: Log) {
        self.rooms = rooms
        self.sealing = sealing
        self.sync = sync
        self.log = log
    }

    /// An entry was made in a room: it goes out at once where the room wants that.
    func noteEntry(in id: RoomID) async {
        guard let room = await rooms.open(id) else { return }
        noteEntry(in: room)
    }

    /// The same for a room that has just been looked up.
    func noteEntry(in room: OpenRoom) {
        guard room.autopush else { return }
        let id = room.id
        guard busy.insert(id).inserted else {
            again.insert(id)
            return
        }
        Task {
            repeat {
                self.again.remove(id)
                if await !self.push(id) {
                    try? await Task.sleep(for: Self.pause)
                    self.again.insert(id)
                }
            } while self.isWanted(id)
        }
    }

    /// Seals, offers, and returns when everybody in reach has it or the time is up; false if that
    /// failed.
    private func push(_ id: RoomID) async -> Bool {
        guard let room = await rooms.open(id) else { return true }
        do {
            let batches = try await sealing.records(in: room)
            _ = await sync.delivery(of: batches.map(\.id), in: id, within: Self.gathering)
            return true
        } catch {
            log.warning("pushing failed", ["room": id.short, "error": "\(error)"])
            return false
        }
    }

    private func isWanted(_ id: RoomID) -> Bool {
        if again.contains(id) { return true }
        busy.remove(id)
        return false
    }
}
