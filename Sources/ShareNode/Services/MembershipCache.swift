import ShareCore
import ShareCrypto
import Synchronization

/// Who was what in each room when people were last told, so that they are told of changes alone.
final class MembershipBoard: Sendable {
    typealias Standings = [DeviceKey: RoomView.Standing]

    private let rooms = Mutex<[RoomID: Standings]>([:])

    /// Notes how things stand; returns how they stood before, nil the first time.
    func replace(_ standings: Standings, of room: RoomID) -> Standings? {
        rooms.withLock { $0.updateValue(standings, forKey: room) }
    }

    func forget(_ room: RoomID) { rooms.withLock { $0[room] = nil } }
}
