import ShareCore

/// Lets rooms be written again that have lost something, as soon as each holds all that the
/// members in reach hold.
struct LossRecovery: Sendable {
    let rooms: RoomBook
    let sync: SyncService
    let log: Log

    /// How long a look at the members lasts, before it is seen whether it is still needed.
    private static let lookTime = Duration.seconds(60)

    /// Works until the rooms are closed or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for await id in rooms.losses {
                log.warning(
                    "what was lost of a room is given back by members", ["room": id.short])
                group.addTask { await self.recover(id) }
            }
        }
    }

    private func recover(_ id: RoomID) async {
        while !Task.isCancelled {
            guard await sync.refill(id, within: Self.lookTime) else {
                if await rooms.refilling.contains(id) { continue } else { return }
            }
            do {
                guard try await rooms.noteRefilled(id) else { return }
                log.notice("a room's file is whole again", ["room": id.short])
            } catch {
                log.error("noting that a room is whole failed", ["error": "\(error)"])
            }
            return
        }
    }
}
