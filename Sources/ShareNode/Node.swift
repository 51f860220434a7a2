import ShareControl
package import ShareCore
package import ShareCrypto
package import ShareNet
package import ShareStore
import Synchronization

/// The daemon without its control socket: a device with its rooms, its peers and its joins.
package final class Node: Sendable {
    package let identity: DeviceIdentity
    package let name: String
    package let log: Log
    package let store: NodeStore
    package let rooms: RoomBook
    package let sync: SyncService
    package let sealing: Sealing
    package let reach: ReachService
    package let joins: JoinService
    package let watch = WatchHub()
    package let renewal = Renewal()
    /// The folder that holds everything of this device.
    let data: DataDirectory
    var folder: String { data.path }
    private let autopush = Autopush()
    let lookout = Lookout()
    let memberships = MembershipBoard()
    package let discovery: Discovery?
    package let listener: Listener
    package let transport: Transport
    let events: AsyncStream<NodeEvent>
    private let continuation: AsyncStream<NodeEvent>.Continuation

    /// What a node is started with.
    package struct Setup: Sendable {
        package var data: DataDirectory
        package var name: String
        /// Nil: the port kept from before, else the standard one, else any free one.
        package var listen: Endpoint?
        package var peers: [Endpoint] = []
        package var discovers = true
        package var log: Log

        package init(data: DataDirectory, name: String, log: Log) {
            self.data = data
            self.name = name
            self.log = log
        }
    }

    /// Milliseconds of the wall clock since 1970.
    @Sendable package static func wall() -> UInt64 { WallClock.milliseconds() }

    /// Events that wait to be taken in. What a peer can cause is bounded for each session, so
    /// this is reached only by a fault of our own.
    private static let eventBacklog = 65_536
    /// What is advertised now.
    private let advertised = Mutex<Advertisement?>(nil)
    /// Rooms whose joining is about to end.
    let settling = Mutex<Set<RoomID>>([])

    /// Opens everything and begins to listen; `run` then does the work.
    ///
    /// - Throws: `DataDirectoryError`, `SQLiteError`, `StoreError`, `TransportError`.
    package init(_ setup: Setup) async throws {
        identity = try setup.data.identity()
        name = setup.name
        data = setup.data
        log = setup.log
        store = try NodeStore(path: setup.data.node)
        transport = try Transport(identity: identity)
        listener = try await Node.listen(setup, transport, store)

        let (events, continuation) = AsyncStream.makeStream(
            of: NodeEvent.self, bufferingPolicy: .bufferingOldest(Node.eventBacklog))
        self.events = events
        self.continuation = continuation
        sync = SyncService(
            identity: identity, name: setup.name, log: log,
            hooks: Node.hooks(into: continuation), wall: Node.wall,
            formerKeys: setup.data.formerIdentities(besides: identity.key))
        rooms = RoomBook(
            identity: identity, folder: setup.data.rooms, nodeStore: store, sync: sync, log: log,
            wall: Node.wall)
        sealing = Sealing(own: identity.key, sync: sync, wall: Node.wall)
        joins = JoinService(
            identity: identity, sync: sync, sealing: sealing, rooms: rooms, store: store, log: log,
            watch: watch,
            wall: Node.wall)
        reach = ReachService(
            own: identity.key, transport: transport, sync: sync, configured: setup.peers,
            memory: store, log: log, wall: Node.wall)
        discovery = setup.discovers ? Discovery(device: identity.key) : nil
        try await rooms.recall()
        try await joins.recall()
    }

    /// The port is kept, so that addresses that others remember stay good.
    private static func listen(
        _ setup: Setup, _ transport: Transport, _ store: NodeStore
    ) async throws -> Listener {
        if let endpoint = setup.listen { return try await transport.listen(on: endpoint) }
        let kept = try await store.port()
        for port in [kept ?? DaemonOptions.standardPort, 0] {
            do {
                let listener = try await transport.listen(on: Endpoint(host: "*", port: port))
                if listener.endpoint.port != kept {
                    try await store.setPort(listener.endpoint.port)
                }
                return listener
            } catch TransportError.addressInUse where port != 0 {
                setup.log.notice("port in use, taking another", ["port": "\(port)"])
            }
        }
        throw TransportError.addressInUse("*")
    }

    private static func hooks(
        into events: AsyncStream<NodeEvent>.Continuation
    ) -> SyncHooks {
        var hooks = SyncHooks()
        hooks.learned = { events.yield(.learned($0, $1, $2)) }
        hooks.join = { events.yield(.join($0, $1, $2, $3)) }
        hooks.met = { events.yield(.met($0, $1, $2)) }
        hooks.linked = { events.yield(.linked($0, $1)) }
        hooks.ended = { events.yield(.ended($0, $1, wasLinked: $2)) }
        hooks.standing = { events.yield(.standing($0, $1, isIdentical: $2)) }
        hooks.holding = { events.yield(.holding($0, $1, $2)) }
        hooks.changed = { events.yield(.changed($0, $1)) }
        hooks.held = { events.yield(.held($0, $1)) }
        hooks.notice = { events.yield(.notice($0)) }
        hooks.acknowledged = { events.yield(.acknowledged($0, $1, $2)) }
        return hooks
    }

    /// Works until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.accept() }
            group.addTask { await self.takeEvents() }
            if let discovery {
                await advertise()
                group.addTask {
                    for await snapshot in discovery.snapshots {
                        self.continuation.yield(.discovered(snapshot))
                    }
                }
            }
            await reach.recall()
            let refills = Task { await self.awaitRefills() }
            defer { refills.cancel() }
            for room in await rooms.all() {
                await noteMembers(of: room)
                // What was entered before a crash goes out now.
                await noteEntry(in: room.id)
            }
            // The first to end ends all.
            await group.next()
            group.cancelAll()
            continuation.finish()
        }
    }

    /// Ends what people watch, so that the control socket can close.
    package func endStreams() { watch.finish() }

    /// Ends sessions and listening; what is committed stays.
    package func stop() async {
        renewal.finish()
        listener.close()
        await joins.stop()
        await reach.stop()
        await discovery?.stop()
        await sync.stop()
        await transport.stop()
        continuation.finish()
        await rooms.close()
    }

    private func accept() async {
        while let connection = await listener.next() { await sync.adopt(connection) }
    }

    /// Lets rooms be written again that have lost something, as soon as each holds all that the
    /// members in reach hold.
    private func awaitRefills() async {
        await withTaskGroup(of: Void.self) { group in
            for await id in rooms.losses {
                log.warning(
                    "what was lost of a room is given back by members", ["room": id.short])
                group.addTask { await self.awaitRefill(of: id) }
            }
        }
    }

    private func awaitRefill(of id: RoomID) async {
        while !Task.isCancelled {
            guard await sync.refill(id, within: Node.refillLook) else {
                if await rooms.refilling.contains(id) { continue } else { return }
            }
            do {
                guard try await rooms.noteRefilled(id) else { return }
                log.notice("a room's file is whole again", ["room": id.short])
            } catch {
                log.error("noting that a room is whole failed", ["error": "\(error)"])
            }
            return
        }
    }

    private static let refillLook = Duration.seconds(60)

    /// Announces the device with its rooms, where that is not what is announced already.
    package func advertise() async {
        guard let discovery else { return }
        let wanted = Advertisement(
            name: name, port: listener.endpoint.port, device: identity.key,
            rooms: await advertisedRooms())
        let isNew = advertised.withLock { advertised in
            defer { advertised = wanted }
            return advertised != wanted
        }
        if isNew { discovery.advertise(wanted) }
    }

    /// The rooms that strangers may know of: those that this device is in and that are not hidden.
    func advertisedRooms() async -> [AdvertisedRoom] {
        var list: [AdvertisedRoom] = []
        for room in await rooms.all() where !room.isJoining {
            let settings = await room.store.settings()
            guard !settings.isHidden, await rooms.role(in: room.id) != nil,
                let advertised = AdvertisedRoom(
                    name: room.name, shortID: room.id.short, isOpen: settings.isOpen)
            else { continue }
            list.append(advertised)
        }
        return list
    }

    /// Where others on the network may reach this device: `HOST:PORT`, two at most.
    package func ownAddresses() -> [String] {
        let bound = listener.endpoint
        let isAny = ["*", "0.0.0.0", "::"].contains(bound.host)
        let hosts = isAny ? LocalAddresses.all().filter(PrivateAddress.isPrivate) : [bound.host]
        return hosts.prefix(2).map { Endpoint(host: $0, port: bound.port).text }
    }

    /// Seals what is pending in a room and offers it to everybody.
    package func seal(_ room: OpenRoom) async throws -> [Batch] {
        let batches = try await sealing.records(in: room)
        if !batches.isEmpty {
            tell(
                "sealed", in: room.name, count: batches.count,
                "sealed \(batches.count) \(batches.count == 1 ? "batch" : "batches")")
        }
        return batches
    }

    /// An entry was made in a room: it goes out at once where the room wants that.
    package func noteEntry(in id: RoomID) async {
        guard let room = await rooms.open(id) else { return }
        guard room.autopush else { return }
        await autopush.note(id) { gathering in
            guard let room = await self.rooms.open(id) else { return true }
            do {
                let batches = try await self.seal(room)
                _ = await self.sync.delivery(
                    of: batches.map(\.id), in: id, within: gathering)
                return true
            } catch {
                self.log.warning("pushing failed", ["room": id.short, "error": "\(error)"])
                return false
            }
        }
    }

    /// Tells everybody who watches.
    package func tell(
        _ event: String, in room: String? = nil, peer: DeviceKey? = nil, named: String = "",
        count: Int? = nil, _ text: @autoclosure () -> String
    ) {
        watch.tell(event, in: room, peer: peer, named: named, count: count, text())
    }
}
