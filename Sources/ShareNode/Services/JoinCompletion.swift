import ShareCore
import Synchronization

/// Ends the joining of rooms: once the grant and all control logs are here. Before, this device
/// may not have heard that a room is hidden.
final class JoinCompletion: Sendable {
    private let rooms: RoomBook
    private let sync: SyncService
    private let advertising: Advertising
    private let watch: WatchHub
    /// Rooms whose joining is about to end.
    private let underWay = Mutex<Set<RoomID>>([])

    private static let patience = Duration.seconds(5)

    init(rooms: RoomBook, sync: SyncService, advertising: Advertising, watch: WatchHub) {
        self.rooms = rooms
        self.sync = sync
        self.advertising = advertising
        self.watch = watch
    }

    /// Looks, in the background, whether a room that is being joined is joined by now.
    func look(at room: OpenRoom) {
        guard room.isJoining, underWay.withLock({ $0.insert(room.id).inserted }) else { return }
        Task {
            if await rooms.role(in: room.id) != nil,
                await sync.controlLogs(of: room.id, within: Self.patience)
            {
                await rooms.setJoined(room.id)
                await advertising.refresh()
                watch.tell("room_changed", in: room.name, "joined \(room.name)")
            }
            _ = underWay.withLock { $0.remove(room.id) }
        }
    }
}
