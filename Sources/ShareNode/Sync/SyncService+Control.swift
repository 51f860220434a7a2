package import ShareCore
package import ShareCrypto

/// The peers that have heard of a decision.
extension SyncService {
    /// Waits until every connected member has stored a batch of this device, or the time is up.
    ///
    /// - Returns: those who say that they have it, contributors among them.
    package func hearers(
        of batch: BatchID, in room: RoomID, within time: Duration
    ) async -> Set<DeviceKey> {
        _ = await wait(for: time) { service in
            Set(service.linkedKeys(in: room).keys).isSubset(of: service.holders(of: batch))
        }
        return holders(of: batch)
    }

    /// Waits until a room's records are as members and forms say, or the time is up.
    ///
    /// - Returns: whether they are.
    package func hasReapplied(_ room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { $0.engine.rooms[room]?.isReapplying != true }
    }

    private func holders(of batch: BatchID) -> Set<DeviceKey> {
        Set((acknowledgements[batch] ?? [:]).filter { $0.value.isStored }.keys)
    }

    /// Waits until a removed device that is connected has taken its removal in, or the time is
    /// up.
    ///
    /// - Returns: whether it says that it has.
    package func hasBeenTold(
        _ key: DeviceKey, of room: RoomID, within time: Duration
    ) async -> Bool {
        _ = await wait(for: time) { service in
            service.engine.hasBeenTold(key, of: room)
                || !service.engine.sessions.values.contains { $0.peer == key }
        }
        return engine.hasBeenTold(key, of: room)
    }
}
