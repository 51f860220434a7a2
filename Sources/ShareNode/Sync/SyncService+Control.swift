package import ShareCore
package import ShareCrypto

/// Who has heard of a decision.
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

    /// What connected peers hold of cut logs beyond what counts, by their own word.
    package func heldBeyond(in room: RoomID) -> [SyncEngine.HeldBeyond] {
        engine.heldBeyond(in: room)
    }

    /// Asks those who hold it for what lies beyond the cut of logs, from behind these heads, and
    /// waits until that has been stored, or nothing more comes for a while.
    package func fetchBeyond(_ logs: [LogName: [LogHead]], in room: RoomID) async {
        handle(.fetchBeyond(room, logs))
        var held = engine.rooms[room]?.beyond
        for _ in 0..<Self.fetchTurns {
            let isOver = await wait(for: Self.fetchPatience) {
                !$0.engine.isFetchingBeyond(in: room)
            }
            guard !isOver, engine.rooms[room]?.beyond != held else { break }
            held = engine.rooms[room]?.beyond
        }
        handle(.leaveBeyond(room))
    }

    /// For how long nothing new may come, and how often that is put up with: somebody waits.
    private static let fetchPatience = Duration.seconds(5)
    private static let fetchTurns = 3

    /// Waits until a room's records are as members and forms say, or the time is up.
    ///
    /// - Returns: whether they are.
    package func hasSettled(_ room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { $0.engine.rooms[room]?.isSettling != true }
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
