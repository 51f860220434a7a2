import ShareCore
import ShareCrypto
import ShareStore

/// Rooms whose files cannot be used, or have lost batches of this device's own.
extension RoomBook {
    /// The rooms that could not be opened, by name.
    package func allDamaged() -> [DamagedRoom] {
        damaged.values.sorted { ($0.entry.name, $0.entry.id) < ($1.entry.name, $1.entry.id) }
    }

    /// Makes a damaged room's file anew from what can be read of it, and opens it; tells where the
    /// damaged one is kept.
    ///
    /// - Throws: why the room still cannot be opened.
    func mend(
        _ room: DamagedRoom, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> (room: OpenRoom, kept: String?, lost: LostEntries) {
        try await opening.inTurn(of: room.entry.id) {
            // Before this turn somebody else has opened it.
            if let open = rooms[room.entry.id] { return (open, nil, LostEntries()) }
            guard damaged[room.entry.id] != nil else {
                throw RoomError.unknown(room.entry.name, rooms.values.map(\.name).sorted())
            }
            return try await makeAnew(room, progress)
        }
    }

    private func makeAnew(
        _ room: DamagedRoom, _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> (room: OpenRoom, kept: String?, lost: LostEntries) {
        let id = room.entry.id
        let known = try await nodeStore.founding(of: id)
        let founding = try known.map { try Batch(verifying: $0.bytes) }
        let (kept, lost, mayLackMembers): (String?, LostEntries, Bool)
        do {
            (kept, lost, mayLackMembers) = try await opening.remake(
                room.entry.file, of: id, founding: founding, progress)
        } catch StoreError.unusable {
            // Nobody is sent here a second time for the same file.
            damaged[id] = DamagedRoom(entry: room.entry, why: StoreError.unusable)
            throw StoreError.unusable
        }
        // What of this device's own could not be read is not known; members can tell.
        try await nodeStore.setRefilling(id, true)
        await open(room.entry)
        guard let opened = rooms[id] else { throw RoomError.damaged(damaged[id] ?? room) }
        let members = await opened.store.authority().members
        // What was lost before, and has not come back, is missed by nothing in the file.
        if !mayLackMembers, known?.isRefilling != true,
            members.allSatisfy({ $0.device == identity.key })
        {
            try await noteRefilled(id)
        }
        return (opened, kept, lost)
    }

    /// Lets go of a damaged room: nobody is told, and the file stays.
    func forget(_ room: DamagedRoom) async throws {
        let id = room.entry.id
        try await opening.inTurn(of: id) {
            try await nodeStore.setStay(.left, in: id)
            damaged[id] = nil
            // Before this turn somebody may have opened it.
            if rooms.removeValue(forKey: id) != nil { await sync.remove(id) }
            try await moveOn(from: id)
        }
    }

    // MARK: Losses

    /// Whether a room has lost batches of this device's own, which members give back; nothing is
    /// sealed in it before.
    func isRefilling(_ id: RoomID) async -> Bool {
        await rooms[id]?.store.isRefilling ?? false
    }

    /// Sees to it that nothing is sealed in a room that has lost batches of this device's own, now
    /// or before it was opened: somebody may hold batches whose numbers would be used again.
    ///
    /// - Parameter hasLost: also where its write-ahead log was damaged, as it is not known what of
    ///   this device's own was lost with it, nor whom it had let in.
    func withhold(_ store: RoomStore, hasLost: Bool) async throws {
        let id = store.room
        let isNoted = try await nodeStore.founding(of: id)?.isRefilling == true
        guard isNoted || hasLost else { return }
        if !isNoted { try await nodeStore.setRefilling(id, true) }
        await store.setRefilling(true)
        // Of one that is just being opened `take` tells.
        if rooms[id]?.store === store { lost.yield(id) }
    }

    /// A room that had lost something holds again what members hold.
    ///
    /// - Returns: false where it had lost nothing.
    @discardableResult
    func noteRefilled(_ id: RoomID) async throws -> Bool {
        guard let store = rooms[id]?.store, await store.isRefilling else { return false }
        // Where that cannot be written, nothing has changed, and it is tried again.
        try await nodeStore.setRefilling(id, false)
        await store.setRefilling(false)
        return true
    }
}
