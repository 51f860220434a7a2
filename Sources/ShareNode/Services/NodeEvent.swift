import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// What the parts of the daemon tell each other, taken in one after the other.
enum NodeEvent: Sendable {
    case learned(RoomID, DeviceKey, [String])
    case join(SessionID, Connection, [UInt8], JoinMessage)
    case met(DeviceKey, String, String?)
    case linked(RoomID, DeviceKey)
    /// Whether a room was open on it.
    case ended(SessionID, DeviceKey, wasLinked: Bool)
    /// A member has become identical with this device in a room, or is no more.
    case standing(RoomID, DeviceKey, isIdentical: Bool)
    /// The batches at the end of this device's own logs that a member holds.
    case holding(RoomID, DeviceKey, [LogName: [LogHead]])
    /// With what a merge has brought; nil after a change made here.
    case changed(RoomID, MergeReport?)
    case held(RoomID, Bool)
    case acknowledged(RoomID, DeviceKey, Acknowledgement)
    case notice(SyncEngine.Notice)
    case discovered(DiscoverySnapshot)
}
