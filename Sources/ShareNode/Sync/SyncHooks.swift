package import ShareCore
package import ShareCrypto
package import ShareNet
package import ShareStore

/// What the synchronisation reports to the rest of the daemon. Each is called in order and must
/// return at once.
package struct SyncHooks: Sendable {
    /// A member was met by others at these addresses.
    package var learned: @Sendable (RoomID, DeviceKey, [String]) -> Void = { _, _, _ in }
    /// A message of a join.
    package var join: @Sendable (SessionID, Connection, [UInt8], JoinMessage) -> Void = {
        _, _, _, _ in
    }
    /// A device has said its name; the address is given if this device dialled it.
    package var met: @Sendable (DeviceKey, String, String?) -> Void = { _, _, _ in }
    /// A room is open with a member.
    package var linked: @Sendable (RoomID, DeviceKey) -> Void = { _, _ in }
    /// A session is over; whether a room was open on it.
    package var ended: @Sendable (SessionID, DeviceKey, Bool) -> Void = { _, _, _ in }
    /// A member's copy of a room has become identical with this device's, or is no more.
    package var standing: @Sendable (RoomID, DeviceKey, Bool) -> Void = { _, _, _ in }
    /// A member that has become identical holds these batches, and so all before them.
    package var holding: @Sendable (RoomID, DeviceKey, [LogName: [LogHead]]) -> Void = { _, _, _ in
    }
    /// A room has changed: by a merge, an entry, or a change of authority.
    /// With what a merge has brought; nil after a change made here.
    package var changed: @Sendable (RoomID, MergeReport?) -> Void = { _, _ in }
    package var acknowledged: @Sendable (RoomID, DeviceKey, Acknowledgement) -> Void = {
        _, _, _ in
    }

    /// Sealing in a room is held until this device has its own batches back, or goes on.
    package var held: @Sendable (RoomID, Bool) -> Void = { _, _ in }

    /// Something that people have to hear of.
    package var notice: @Sendable (SyncEngine.Notice) -> Void = { _ in }

    package init() {}
}
