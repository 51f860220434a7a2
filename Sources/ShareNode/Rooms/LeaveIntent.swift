import ShareStore
import Synchronization

/// Whether a device stays in a room, the same for all who hold the room at that moment: who says
/// in its log that the device leaves looks here in the store's turn, as the user may have taken
/// it back by then.
final class LeaveIntent: Sendable {
    private let stay: Mutex<NodeRoom.Stay>

    init(_ stay: NodeRoom.Stay) { self.stay = Mutex(stay) }

    var now: NodeRoom.Stay { stay.withLock { $0 } }

    func set(_ stay: NodeRoom.Stay) { self.stay.withLock { $0 = stay } }
}
