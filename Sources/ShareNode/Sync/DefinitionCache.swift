import ShareCore
import Synchronization

/// The form definitions of each room, where those who unpack batches can look them up without
/// waiting for anybody.
final class DefinitionCache: Sendable {
    private let rooms = Mutex<[RoomID: [OperationName: FormDefinition]]>([:])

    func definitions(of room: RoomID) -> [OperationName: FormDefinition] {
        rooms.withLock { $0[room] ?? [:] }
    }

    func set(_ definitions: [OperationName: FormDefinition], of room: RoomID) {
        rooms.withLock { $0[room] = definitions.isEmpty ? nil : definitions }
    }
}
