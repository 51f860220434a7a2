import ShareCore

/// Lets rooms be written again that have lost something, as soon as each holds all that the
/// members in reach hold.
actor LossRecovery {
    private let rooms: RoomBook
    private let sync: SyncService
    private let log: Log
    /// The rooms that somebody looks after.
    private var attended: Set<RoomID> = []

    /// How long a look at the members lasts, before it is seen whether it is still needed.
    private static let lookTime = Duration.seconds(60)
    /// After it could not be written that a room is whole.
    private static let pause = Duration.seconds(10)

    init(rooms: RoomBook, sync: SyncService, log: Log) {
        self.rooms = rooms
        self.sync = sync
        self.log = log
    }

    /// Works until the rooms are closed or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for await id in rooms.losses where attended.insert(id).inserted {
                log.warning(
                    "what was lost of a room is given back by members", ["room": id.short])
                group.addTask { await self.recover(id) }
            }
        }
    }

    private func recover(_ id: RoomID) async {
        while !Task.isCancelled {
            while !Task.isCancelled, await rooms.isRefilling(id) { await look(id) }
            attended.remove(id)
            // What was lost since the last look was told while the room was still attended.
            guard await rooms.isRefilling(id), attended.insert(id).inserted else { return }
        }
    }

    private func look(_ id: RoomID) async {
        guard await sync.refill(id, within: Self.lookTime) else { return }
        do {
            guard try await rooms.noteRefilled(id) else { return }
            log.notice("a room's file is whole again", ["room": id.short])
        } catch {
            log.error("noting that a room is whole failed", ["error": "\(error)"])
            try? await Task.sleep(for: Self.pause)
        }
    }
}
