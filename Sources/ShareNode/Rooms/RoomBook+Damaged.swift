internal import Dispatch
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
        let id = room.entry.id
        let path = folder + "/" + room.entry.file
        let known = try await nodeStore.founding(of: id)
        let founding = try known.map { try Batch(verifying: $0.bytes) }
        // Nobody else comes to this file meanwhile, as the room is not open.
        guard mending.insert(id).inserted else { throw StoreError.sealingBlocked(hasLost: true) }
        defer { mending.remove(id) }
        let (kept, lost, mayLackMembers): (String?, LostEntries, Bool)
        do {
            (kept, lost, mayLackMembers) = try await remade(path, id, founding, progress)
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

    /// A file of an earlier stay in the room goes on where it was. Of a damaged one all goes on that can
    /// be read: what was not sent is nowhere else. It is moved aside where that is nothing.
    func openOrReplace(
        _ path: String, _ founding: Batch
    ) async throws -> (store: RoomStore, isReplaced: Bool, lost: LostEntries) {
        let (identity, earlier) = (identity, earlier)
        func opened() throws -> RoomStore {
            try RoomStore(path: path, identity: identity, earlier: earlier, founding: founding)
        }
        do {
            return (try opened(), false, LostEntries())
        } catch  where isDamage(error) {
            // Nobody else comes to this file meanwhile, as the room is not open.
            guard mending.insert(founding.room).inserted else {
                throw StoreError.sealingBlocked(hasLost: true)
            }
            defer { mending.remove(founding.room) }
            do {
                let made = try await remade(path, founding.room, founding) { _, _ in }
                return (try opened(), true, made.lost)
            } catch  where isDamage(error) {
                let kept = try RoomStore.moveAside(path: path)
                log.warning(
                    "a damaged file makes way", ["room": founding.room.short, "kept": kept])
                return (try opened(), true, LostEntries())
            }
        }
    }

    private func isDamage(_ error: any Error) -> Bool {
        switch error {
        case StoreError.notARoom, StoreError.otherRoom, StoreError.damaged, StoreError.unfounded,
            StoreError.otherDevice, StoreError.unusable:
            true
        case let error as SQLiteError: error.isCorrupt || error.lacksSchema
        default: false
        }
    }

    /// Makes a room's file anew from what can be read of it; the caller sees to it that nobody else
    /// comes to the file meanwhile.
    private func remade(
        _ path: String, _ room: RoomID, _ founding: Batch?,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> (kept: String?, lost: LostEntries, mayLackMembers: Bool) {
        let (identity, earlier) = (identity, earlier)
        let made = try await OffPool.run {
            try RoomStore.mend(
                path: path, room: room, identity: identity, earlier: earlier, founding: founding,
                progress: progress)
        }
        if let kept = made.kept {
            log.notice("a damaged room was made anew", ["room": room.short, "kept": kept])
        }
        return made
    }

    /// Lets go of a damaged room: nobody is told, and the file stays.
    func forget(_ room: DamagedRoom) async throws {
        try await nodeStore.setStay(.left, in: room.entry.id)
        damaged[room.entry.id] = nil
        try await moveOn(from: room.entry.id)
    }

    // MARK: Losses

    /// Notes that a room has lost batches of this device's own.
    func noteLost(_ id: RoomID) async throws {
        try await nodeStore.setRefilling(id, true)
        awaitRefill(of: id)
    }

    /// Sees to it that nothing is sealed in a room just opened that has lost batches of this
    /// device's own, now or before.
    func withhold(_ store: RoomStore, hasLost: Bool) async throws {
        let id = store.room
        if let kept = store.damagedLog {
            log.error(
                "a room's write-ahead log is damaged: what was committed last may be lost,"
                    + " and members give back what was sent",
                ["room": id.short, "kept": kept])
        }
        let isNoted = try await nodeStore.founding(of: id)?.isRefilling == true
        // What of this device's own was lost with a log is not known, nor whom it had let in:
        // somebody may hold batches whose numbers would be used again.
        guard isNoted || hasLost || store.damagedLog != nil else { return }
        if !isNoted { try await nodeStore.setRefilling(id, true) }
        await store.setRefilling(true)
        awaitRefill(of: id)
    }

    func awaitRefill(of id: RoomID) {
        if refilling.insert(id).inserted { lost.yield(id) }
    }

    /// A room that had lost something holds again what members hold.
    ///
    /// - Returns: false where it had lost nothing.
    @discardableResult
    func noteRefilled(_ id: RoomID) async throws -> Bool {
        guard refilling.contains(id) else { return false }
        // Where that cannot be written, nothing has changed, and it is tried again.
        try await nodeStore.setRefilling(id, false)
        refilling.remove(id)
        await rooms[id]?.store.setRefilling(false)
        return true
    }
}

/// Lets rooms be written again that have lost something, as soon as each holds all that the
/// members in reach hold.
struct LossRecovery: Sendable {
    let rooms: RoomBook
    let sync: SyncService
    let log: Log

    /// How long a look at the members lasts, before it is seen whether it is still needed.
    private static let lookTime = Duration.seconds(60)
    /// After it could not be written that a room is whole.
    private static let pause = Duration.seconds(10)

    /// Works until the rooms are closed or the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for await id in rooms.losses {
                log.warning(
                    "what was lost of a room is given back by members", ["room": id.short])
                group.addTask { await self.recover(id) }
            }
        }
    }

    private func recover(_ id: RoomID) async {
        while !Task.isCancelled {
            guard await sync.refill(id, within: Self.lookTime) else {
                if await rooms.refilling.contains(id) { continue } else { return }
            }
            do {
                guard try await rooms.noteRefilled(id) else { return }
                log.notice("a room's file is whole again", ["room": id.short])
            } catch {
                log.error("noting that a room is whole failed", ["error": "\(error)"])
                guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
                continue
            }
            return
        }
    }
}

/// Work that blocks for long, on a thread of its own: small machines have two in the shared pool.
enum OffPool {
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "long work").async {
                continuation.resume(with: Swift.Result { try work() })
            }
        }
    }
}
