package import ShareCore
package import ShareCrypto
package import ShareStore

/// The rooms of this device, and which of them commands mean when they name none.
package actor RoomBook {
    let identity: DeviceIdentity
    let opening: RoomOpening
    let nodeStore: NodeStore
    let sync: SyncService
    private let wall: @Sendable () -> UInt64
    let log: Log
    var rooms: [RoomID: OpenRoom] = [:]
    var damaged: [RoomID: DamagedRoom] = [:]
    var current: RoomID?
    /// The current room before the one that is being joined.
    var before: RoomID?
    private var keeping: [RoomID: Task<OpenRoom, any Error>] = [:]
    /// The names of rooms that are just being founded.
    private var foundingNames: [String] = []
    /// Rooms that are tried again, as the system failed when they were opened.
    var retries: [RoomID: Task<Void, Never>] = [:]
    /// What was found in the folder at the start and is not listed in `node.sqlite`.
    var found = FoundFiles()
    /// The rooms that have lost batches of this device's own, each as it is opened or loses them.
    nonisolated let losses: AsyncStream<RoomID>
    let lost: AsyncStream<RoomID>.Continuation

    package init(
        identity: DeviceIdentity, earlier: Set<DeviceKey> = [], folder: String,
        nodeStore: NodeStore, sync: SyncService, log: Log,
        wall: @escaping @Sendable () -> UInt64
    ) {
        self.identity = identity
        opening = RoomOpening(identity: identity, earlier: earlier, folder: folder, log: log)
        self.nodeStore = nodeStore
        self.sync = sync
        self.log = log
        self.wall = wall
        (losses, lost) = AsyncStream.makeStream()
    }

    /// Opens the rooms that were here when the daemon stopped.
    package func recall() async throws {
        removeCopies()
        let listed = try await nodeStore.rooms()
        for entry in listed where entry.stay != .left {
            await opening.inTurn(of: entry.id) { await open(entry) }
        }
        try await takeInFound(besides: listed)
        tellFound()
        current = try await nodeStore.currentRoom()
        // A damaged room stays the current one: what was meant for it must not go into another. Nor
        // does what was meant for one that is not known any more.
        if current.flatMap({ rooms[$0]?.id ?? damaged[$0]?.entry.id }) == nil {
            let staying = rooms.values.filter { !$0.isLeaving }.map(\.id) + damaged.keys
            // One whose file cannot be read as a room's may have been it.
            current = staying.count == 1 && found.unread.isEmpty ? staying[0] : nil
        }
    }

    private var firstToStay: RoomID? {
        rooms.values.filter { !$0.isLeaving }.map(\.id).min()
    }

    // MARK: Finding

    package func all() -> [OpenRoom] {
        rooms.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    package func open(_ id: RoomID) -> OpenRoom? { rooms[id] }

    package var currentRoom: RoomID? { current }

    /// The current room; nil where there is none, or it is damaged.
    var currentOpen: OpenRoom? { current.flatMap { rooms[$0] } }

    /// The room that a command means: by its name, its id or the start of it; without any of
    /// these the current one.
    package func resolve(_ text: String?) throws -> OpenRoom {
        guard let text else {
            if let currentOpen { return currentOpen }
            if let room = current.flatMap({ damaged[$0] }) { throw RoomError.damaged(room) }
            let names = all().map(\.name) + allDamaged().map(\.entry.name)
            throw names.isEmpty ? RoomError.noRoom : .noneCurrent(names)
        }
        if let id = RoomID(text: text), let room = rooms[id] { return room }
        let broken = damaged.values.first {
            RoomName.areAlike($0.entry.name, text) || $0.entry.id.text == text
                || $0.entry.id.short == text
        }
        if let broken { throw RoomError.damaged(broken) }
        var named = rooms.values.filter { $0.name == text }
        if named.isEmpty { named = rooms.values.filter { RoomName.areAlike($0.name, text) } }
        if named.count > 1 { named.removeAll { $0.isLeaving } }
        if named.count == 1 { return named[0] }
        if named.count > 1 { throw RoomError.ambiguous(text, named.map(\.id).sorted()) }
        let short = text.hasPrefix("room:") ? String(text.dropFirst(5)) : text
        let begun = rooms.values.filter {
            short.utf8.count >= 4 && Base32.encode($0.id.bytes).hasPrefix(short.lowercased())
        }
        if begun.count == 1 { return begun[0] }
        if begun.count > 1 { throw RoomError.ambiguous(text, begun.map(\.id).sorted()) }
        throw RoomError.unknown(text, rooms.values.map(\.name).sorted())
    }

    // MARK: Changing

    /// Founds a room; this device owns it.
    ///
    /// - Parameter recovery: what its user has to write down, and nobody keeps.
    package func create(
        _ name: String, isOpen: Bool = false, isHidden: Bool = false,
        recovery: RecoveryCode = .generate()
    ) async throws -> OpenRoom {
        let name = try RoomName.checked(name)
        switch JoinCode.likeness(of: name) {
        case .code: throw RoomError.looksLikeCode(name)
        case .mistyped(let slip): throw RoomError.looksMistyped(name, slip)
        case .close, .none: break
        }
        if isTaken(name) { throw RoomError.exists(name) }
        foundingNames.append(name)
        defer { foundingNames.removeAll { $0 == name } }
        let founding = RoomStore.found(
            name: name, isOpen: isOpen, isHidden: isHidden, recovery: recovery, wall: wall(),
            by: identity)
        let room = try await keep(founding: founding, name: name, joining: nil)
        try await sync.add(room.store)
        return room
    }

    /// Makes or opens a room's file and lists the room. Whoever wants the same room meanwhile
    /// gets the same one: a file has one writer.
    func keep(
        founding: Batch, name: String, joining: NodeRoom.Joining?
    ) async throws -> OpenRoom {
        if let running = keeping[founding.room] { return try await running.value }
        // A hello shows so many rooms and no more.
        let others = Set(rooms.keys).union(damaged.keys).union(keeping.keys)
            .subtracting([founding.room])
        guard others.count < SyncLimits.proofs else { throw RoomError.tooMany(others.count) }
        let task = Task {
            try await opening.inTurn(of: founding.room) {
                try await self.list(founding, name, joining)
            }
        }
        keeping[founding.room] = task
        defer { keeping[founding.room] = nil }
        return try await task.value
    }

    private func list(
        _ founding: Batch, _ name: String, _ joining: NodeRoom.Joining?
    ) async throws -> OpenRoom {
        // A damaged one may have been opened, or made anew, before this turn.
        if let open = rooms[founding.room] {
            try await setStay(.here, open)
            return open
        }
        // Who comes back goes on with its own logs, whatever the room is called by now.
        let earlier = try await nodeStore.rooms().first { $0.id == founding.room }
        let file = earlier?.file ?? RoomName.file(name, founding.room)
        let hadFile = Folder.holds(opening.path(of: file))
        let (store, isReplaced, lost) = try await opening.openOrReplace(file, founding: founding)
        try await nodeStore.keep(founding: founding)
        try await withhold(
            store,
            hasLost: earlier != nil && (isReplaced || !hadFile) || store.damagedLog != nil)
        try await nodeStore.addRoom(founding.room, name: name, file: file, joining: joining)
        let room = OpenRoom(
            id: founding.room, name: name, store: store, joining: joining,
            pushing: PushSetting(own: earlier?.autopush, room: await store.settings().autopush))
        room.loss.add(lost.count)
        await take(room)
        current = room.id
        try await nodeStore.setCurrentRoom(room.id)
        return room
    }

    /// Writes down that this device joins a room, and says how far its own logs in it go.
    /// Doing it again changes nothing.
    ///
    /// - Returns: also whether the room is new here.
    func beginJoining(
        _ welcome: JoinWelcome, by door: NodeRoom.Joining
    ) async throws -> (heads: CoveredHeads, isNew: Bool) {
        if let room = rooms[welcome.room] {
            try await setStay(.here, room)
            return (try await room.ownHeads(), false)
        }
        let founding = try Batch(verifying: welcome.founding)
        let name = (try? RoomName.checked(welcome.name)) ?? founding.room.short
        before = current
        let room = try await keep(
            founding: founding, name: freeName(name, for: founding.room), joining: door)
        return (try await room.ownHeads(), true)
    }

    /// Gives up a room whose members have refused this device; its file stays.
    func abandonJoining(_ id: RoomID) async throws {
        guard rooms[id]?.isJoining == true, await role(in: id) == nil else { return }
        try await nodeStore.setStay(.left, in: id)
        rooms[id] = nil
        await sync.remove(id)
        try await moveOn(from: id, to: before)
    }

    /// Two rooms of one name are told apart by the short id of the later one.
    func freeName(_ name: String, for room: RoomID) -> String {
        isTaken(name, besides: room)
            ? RoomName.shortened(name, to: Limits.roomName - 9) + " " + room.short : name
    }

    private func isTaken(_ name: String, besides room: RoomID? = nil) -> Bool {
        rooms.values.contains { RoomName.areAlike($0.name, name) && $0.id != room && !$0.isLeaving }
            || damaged.values.contains {
                RoomName.areAlike($0.entry.name, name) && $0.entry.id != room
            } || foundingNames.contains { RoomName.areAlike($0, name) }
    }

    /// Begins to share a room that has been accepted.
    func startJoined(_ id: RoomID) async {
        guard let room = rooms[id] else { return }
        do {
            try await sync.add(room.store)
        } catch {
            log.error("a room is not shared yet", ["room": id.short, "error": "\(error)"])
        }
    }

    /// This device's role in the room by now; nil for none.
    func role(in id: RoomID) async -> Role? {
        await rooms[id]?.store.authority().currentRole(of: identity.key)
    }

    /// Notes that this device has joined a room and knows its control logs.
    func setJoined(_ id: RoomID) async {
        guard rooms[id]?.isJoining == true else { return }
        rooms[id]?.joining = nil
        do {
            try await nodeStore.setJoined(id)
        } catch {
            // At the next start it is found out again.
            log.error("a room is noted as joining", ["room": id.short, "error": "\(error)"])
        }
    }

    package func use(_ room: OpenRoom) async throws {
        current = room.id
        try await nodeStore.setCurrentRoom(room.id)
    }

    /// Decides for this device whether entries are pushed as they are made; nil: as the room's
    /// owners have set it.
    package func setAutopush(_ isOn: Bool?, for room: OpenRoom) async throws {
        try await nodeStore.setAutopush(room.id, isOn)
        room.pushing.decide(isOn)
    }

    /// Forgets a room that this device has left, and keeps its file.
    package func forget(_ room: OpenRoom) async throws {
        try await nodeStore.setStay(.left, in: room.id)
        rooms[room.id] = nil
        try await moveOn(from: room.id)
    }

    /// Notes that this device leaves a room as soon as somebody can hear of it, or stays.
    func setStay(_ stay: NodeRoom.Stay, _ room: OpenRoom) async throws {
        guard let known = rooms[room.id], known.stay.now != stay else { return }
        try await nodeStore.setStay(stay, in: room.id)
        known.stay.set(stay)
        if stay == .leaving {
            try await moveOn(from: room.id)
        } else if current == nil {
            try await use(room)
        }
    }

    /// Makes another room the current one where it is this one that has gone: the one that is
    /// wanted if it is here, else the first.
    func moveOn(from gone: RoomID, to wanted: RoomID? = nil) async throws {
        guard current == gone else { return }
        current = wanted.flatMap { rooms[$0]?.id } ?? firstToStay
        if let current { try await nodeStore.setCurrentRoom(current) }
    }

    package func close() async {
        for retry in retries.values {
            retry.cancel()
            await retry.value
        }
        for room in rooms.values { await room.store.finish() }
        rooms = [:]
        lost.finish()
    }
}
