import ShareCore
import ShareStore

/// Opening the rooms that are listed, each in its turn.
extension RoomBook {
    /// Opens a room's file in its turn, or notes why it cannot be.
    func open(_ entry: NodeRoom) async {
        do {
            try await take(entry, from: entry.file)
        } catch {
            log.error(
                "a room cannot be opened; the others go on",
                ["room": entry.id.short, "file": entry.file, "error": "\(error)"])
            damaged[entry.id] = DamagedRoom(entry: entry, why: error)
            if (error as? SQLiteError)?.isPassing == true { openLater(entry) }
        }
    }

    private func take(_ entry: NodeRoom, from file: String) async throws {
        let store: RoomStore
        do {
            store = try await self.store(of: entry, file: file)
            guard store.room == entry.id else { throw StoreError.otherRoom }
        } catch StoreError.otherRoom where file == entry.file {
            // Somebody has swapped names of files; a file itself says whose it is.
            guard let other = try await opening.file(of: entry.id), other != file else {
                throw StoreError.otherRoom
            }
            log.warning(
                "a room's file is under the name of another one",
                ["room": entry.id.short, "file": other])
            return try await take(entry, from: other)
        }
        try await sync.add(store)
        await take(
            OpenRoom(
                id: entry.id, name: entry.name, store: store, joining: entry.joining,
                pushing: PushSetting(own: entry.autopush, room: await store.settings().autopush),
                stay: LeaveIntent(entry.stay)))
    }

    /// From now on the room is one of these; who looks after losses hears of its own.
    func take(_ room: OpenRoom) async {
        rooms[room.id] = room
        damaged[room.id] = nil
        if await room.store.isRefilling { lost.yield(room.id) }
    }

    /// Opens a room again and again, as the disk may have failed for a moment.
    private func openLater(_ entry: NodeRoom) {
        guard retries[entry.id] == nil else { return }
        retries[entry.id] = Task {
            var pause = Self.firstRetry
            while !Task.isCancelled, (try? await Task.sleep(for: pause)) != nil {
                pause = min(pause * 2, Self.lastRetry)
                guard await openAgain(entry) else { break }
            }
            retries[entry.id] = nil
        }
    }

    /// Opens a room that the disk had failed to give, where nobody has opened it, let go of it, or
    /// found it damaged meanwhile.
    ///
    /// - Returns: whether to try it again.
    func openAgain(_ entry: NodeRoom) async -> Bool {
        await opening.inTurn(of: entry.id) {
            guard let room = damaged[entry.id], (room.why as? SQLiteError)?.isPassing == true
            else { return false }
            do {
                try await take(entry, from: entry.file)
                log.notice("a room could be opened after all", ["room": entry.id.short])
                return false
            } catch {
                damaged[entry.id] = DamagedRoom(entry: entry, why: error)
                return true
            }
        }
    }

    /// How soon, and how seldom at last, a room is tried again whose file the system could not read.
    private static let firstRetry = Duration.seconds(1)
    private static let lastRetry = Duration.seconds(60)

    /// The store of a room that is listed. Where its file is gone, or has nothing in it, an empty
    /// one takes its place, which members fill; nothing is sealed in it before, as its logs go on elsewhere.
    private func store(of entry: NodeRoom, file: String) async throws -> RoomStore {
        let kept = try await nodeStore.founding(of: entry.id)
        guard let kept else {
            let store = try await opening.open(file)
            guard let founding = try await store.founding() else { throw StoreError.unfounded }
            try await nodeStore.keep(founding: founding)
            if store.room == entry.id {
                try await withhold(store, hasLost: store.damagedLog != nil)
            }
            return store
        }
        if !Folder.holds(opening.path(of: file)) {
            try await nodeStore.setRefilling(entry.id, true)
        }
        let store = try await opening.open(file, founding: try Batch(verifying: kept.bytes))
        guard try await store.founding() != nil else { throw StoreError.unfounded }
        try await withhold(store, hasLost: store.damagedLog != nil)
        return store
    }
}
