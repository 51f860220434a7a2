import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// All that the synchronisation and discovery report to the rest of the node, taken in one after
/// the other.
enum NodeEvent: Sendable {
    /// Others have met a member at these addresses.
    case learned(RoomID, DeviceKey, addresses: [String])
    /// A message of a join has come.
    case join(SessionID, Connection, exporter: [UInt8], JoinMessage)
    /// A device has said its name; with the address, where this device dialled it.
    case met(DeviceKey, name: String, address: String?)
    /// A room is open with a member.
    case linked(RoomID, DeviceKey)
    /// A session is over; a room may have been open on it.
    case ended(SessionID, DeviceKey, wasLinked: Bool)
    /// A member's copy of a room has become identical with this device's, or is no more.
    case standing(RoomID, DeviceKey, isIdentical: Bool)
    /// A member that has become identical holds these batches, and so all before them.
    case holding(RoomID, DeviceKey, [LogName: [LogHead]])
    /// A room has changed: with the report of a merge, or nil after a change made here.
    case changed(RoomID, MergeReport?)
    /// A member has answered for a batch of this device.
    case acknowledged(RoomID, DeviceKey, Acknowledgement)
    /// Sealing in a room is paused until this device has its own batches back, or goes on.
    case sealingPaused(RoomID, Bool)
    /// Something has come up that people have to hear of.
    case notice(SyncEngine.Notice)
    /// Discovery sees other devices than before, or has another state.
    case discovered(DiscoverySnapshot)
}
