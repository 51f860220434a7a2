package import ShareCore
package import ShareCrypto
package import ShareStore

/// The rooms of this device, and which of them commands mean when they name none.
package actor RoomBook {
    let identity: DeviceIdentity
    let folder: String
    let nodeStore: NodeStore
    let sync: SyncService
    private let wall: @Sendable () -> UInt64
    var rooms: [RoomID: OpenRoom] = [:]
    private var current: RoomID?
    /// The current room before the one that is being joined.
    private var before: RoomID?
    private var keeping: [RoomID: Task<OpenRoom, any Error>] = [:]
    /// Rooms whose files were lost and are being filled again by their members.
    var refilling: Set<RoomID> = []

    package init(
        identity: DeviceIdentity, folder: String, nodeStore: NodeStore, sync: SyncService,
        wall: @escaping @Sendable () -> UInt64
    ) {
        self.identity = identity
        self.folder = folder
        self.nodeStore = nodeStore
        self.sync = sync
        self.wall = wall
    }

    /// Opens the rooms that were here when the daemon stopped.
    package func recall() async throws {
        let listed = try await nodeStore.rooms()
        for entry in listed where !entry.isLeft {
            let store = try await store(of: entry)
            rooms[entry.id] = OpenRoom(
                id: entry.id, name: entry.name, store: store, autopush: entry.autopush,
                joining: entry.joining)
            try await sync.add(store)
        }
        try await takeInFound(besides: listed)
        current = try await nodeStore.currentRoom()
        if current.flatMap({ rooms[$0] }) == nil { current = rooms.keys.sorted().first }
    }

    // MARK: Finding

    package func all() -> [OpenRoom] {
        rooms.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    package func open(_ id: RoomID) -> OpenRoom? { rooms[id] }

    package var currentRoom: RoomID? { current }

    /// The room that a command means: by its name, its id or the start of it; without any of
    /// these the current one.
    package func resolve(_ text: String?) throws -> OpenRoom {
        guard let text else {
            guard let current, let room = rooms[current] else { throw RoomError.noRoom }
            return room
        }
        if let id = RoomID(text: text), let room = rooms[id] { return room }
        let named = rooms.values.filter { $0.name == text }
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
    package func create(
        _ name: String, isOpen: Bool = false, isHidden: Bool = false
    ) async throws -> OpenRoom {
        let name = try RoomName.checked(name)
        if rooms.values.contains(where: { $0.name == name }) { throw RoomError.exists(name) }
        let founding = RoomStore.found(
            name: name, isOpen: isOpen, isHidden: isHidden, wall: wall(), by: identity)
        let room = try await keep(founding: founding, name: name, joining: nil)
        try await sync.add(room.store)
        return room
    }

    /// Makes or opens a room's file and lists the room. Whoever wants the same room meanwhile
    /// gets the same one: a file has one writer.
    private func keep(
        founding: Batch, name: String, joining: NodeRoom.Joining?
    ) async throws -> OpenRoom {
        if let running = keeping[founding.room] { return try await running.value }
        let task = Task { try await self.list(founding, name, joining) }
        keeping[founding.room] = task
        defer { keeping[founding.room] = nil }
        return try await task.value
    }

    private func list(
        _ founding: Batch, _ name: String, _ joining: NodeRoom.Joining?
    ) async throws -> OpenRoom {
        // Who comes back goes on with its own logs, whatever the room is called by now.
        let earlier = try await nodeStore.rooms().first { $0.id == founding.room }
        let file = earlier?.file ?? RoomName.file(name, founding.room)
        let store = try RoomStore(
            path: folder + "/" + file, identity: identity, founding: founding)
        try await nodeStore.keep(founding: founding)
        try await nodeStore.addRoom(founding.room, name: name, file: file, joining: joining)
        let room = OpenRoom(
            id: founding.room, name: name, store: store, autopush: false, joining: joining)
        rooms[room.id] = room
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
        if let room = rooms[welcome.room] { return (try await room.ownHeads(), false) }
        let founding = try Batch(verifying: welcome.founding)
        let name = (try? RoomName.checked(welcome.name)) ?? founding.room.short
        before = current
        let room = try await keep(
            founding: founding, name: free(name, for: founding.room), joining: door)
        return (try await room.ownHeads(), true)
    }

    /// Gives up a room whose members have refused this device; its file stays.
    func abandonJoining(_ id: RoomID) async throws {
        guard rooms[id]?.isJoining == true, await role(in: id) == nil else { return }
        try await nodeStore.setLeft(id)
        rooms[id] = nil
        await sync.remove(id)
        if current == id {
            current = before.flatMap { rooms[$0]?.id } ?? rooms.keys.sorted().first
            if let current { try await nodeStore.setCurrentRoom(current) }
        }
    }

    /// Two rooms of one name are told apart by the short id of the later one.
    func free(_ name: String, for room: RoomID) -> String {
        rooms.values.contains { $0.name == name }
            ? RoomName.shortened(name, to: Limits.roomName - 9) + " " + room.short : name
    }

    /// Begins to share a room that has been accepted.
    func startJoined(_ id: RoomID) async {
        guard let room = rooms[id] else { return }
        try? await sync.addOnce(room.store)
    }

    /// This device's role in the room by now; nil for none.
    func role(in id: RoomID) async -> Role? {
        await rooms[id]?.store.authority().currentRole(of: identity.key)
    }

    /// Notes that this device has joined a room and knows its control logs.
    func setJoined(_ id: RoomID) async {
        guard rooms[id]?.isJoining == true else { return }
        rooms[id]?.joining = nil
        try? await nodeStore.setJoined(id)
    }

    package func use(_ room: OpenRoom) async throws {
        current = room.id
        try await nodeStore.setCurrentRoom(room.id)
    }

    package func setAutopush(_ isOn: Bool, for room: OpenRoom) async throws {
        rooms[room.id]?.autopush = isOn
        try await nodeStore.setAutopush(room.id, isOn)
    }

    /// Forgets a room that this device has left, and keeps its file.
    package func forget(_ room: OpenRoom) async throws {
        try await nodeStore.setLeft(room.id)
        rooms[room.id] = nil
        if current == room.id {
            current = rooms.keys.sorted().first
            if let current { try await nodeStore.setCurrentRoom(current) }
        }
    }

    package func close() async {
        rooms = [:]
    }
}
