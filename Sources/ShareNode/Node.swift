import ShareCore
package import ShareCrypto
package import ShareNet
package import ShareStore

/// The daemon without its control socket: a device with its rooms, its peers and its joins, put
/// together from services.
package final class Node: Sendable {
    package let own: OwnDevice
    package let log: Log
    /// Milliseconds of the wall clock since 1970.
    package let wall: @Sendable () -> UInt64
    package let store: NodeStore
    package let rooms: RoomBook
    package let sync: SyncService
    package let sealing: Sealing
    package let reach: ReachService
    package let joins: JoinService
    package let watch: WatchHub
    package let rotation: IdentityRotation
    package let discovery: Discovery?
    package let listener: Listener
    package let transport: Transport
    /// Tells when connections are refused for want of descriptors.
    package let alarm: DescriptorAlarm
    /// The folder that holds everything of this device.
    let data: DataDirectory
    let names: DeviceNames
    let membersProgress: MembersProgress
    let meetings: MeetingNotes
    let peers: Peers
    let faults: DeviceFaults
    let advertising: Advertising
    let membership: Membership
    let leaving: Leaving
    let completion: JoinCompletion
    let changes: ChangeEvents
    let autopush: Autopush
    let schemas: SchemaCache
    let surroundings: EntrySurroundings
    let flags: FlagService
    let peerEvents: PeerEvents
    let roomEvents: RoomEvents
    let events: AsyncStream<NodeEvent>
    private let report: AsyncStream<NodeEvent>.Continuation

    package var identity: DeviceIdentity { own.identity }

    /// Events that wait to be taken in. What a peer can cause is bounded for each session, so
    /// this is reached only by a fault of our own.
    private static let eventBacklog = 65_536

    /// Opens everything and begins to listen; `run` then does the work.
    ///
    /// - Throws: `DataDirectoryError`, `SQLiteError`, `StoreError`, `TransportError`.
    package init(_ setup: Setup) async throws {
        let identity = try setup.data.identity()
        own = OwnDevice(
            identity: identity, name: setup.name,
            formerKeys: setup.data.formerIdentities(besides: identity.key))
        data = setup.data
        log = setup.log
        wall = setup.wall
        watch = WatchHub(wall: wall)
        store = try NodeStore(path: setup.data.node)
        if let mending = store.mending {
            log.warning(
                "node.sqlite was damaged and has been made anew",
                [
                    "kept": mending.kept,
                    "lost": mending.lost.isEmpty
                        ? "nothing" : mending.words.joined(separator: "; "),
                ])
        }
        let (log, descriptors) = (setup.log, Descriptors())
        alarm = DescriptorAlarm {
            log.warning(
                "too many files are open: further connections are refused",
                ["limit": "\(descriptors.limit)", "reserve": "\(descriptors.reserve)"])
        }
        transport = try Transport(identity: identity, alarm: alarm)
        listener = try await transport.listen(
            on: setup.listen, orAt: DaemonOptions.standardPort, keepingPortIn: store, log: log)
        discovery = setup.discovers ? Discovery(device: own.key) : nil
        let (events, report) = AsyncStream.makeStream(
            of: NodeEvent.self, bufferingPolicy: .bufferingOldest(Node.eventBacklog))
        self.events = events
        self.report = report

        sync = SyncService(own, log: log, wall: wall) { report.yield($0) }
        rooms = RoomBook(
            identity: identity,
            earlier: try await store.note(identity: identity.key).union(own.formerKeys),
            folder: setup.data.rooms, nodeStore: store, sync: sync, log: log, wall: wall)
        advertising = Advertising(
            own: own, rooms: rooms, endpoint: listener.endpoint, discovery: discovery)
        reach = ReachService(
            own: own.key, transport: transport, sync: sync, advertising: advertising,
            configured: setup.peers, memory: store, log: log, wall: wall)
        sealing = Sealing(own: own.key, sync: sync, watch: watch, wall: wall)
        joins = JoinService(
            identity: identity, sync: sync, sealing: sealing, rooms: rooms, store: store, log: log,
            watch: watch, wall: wall)
        names = DeviceNames(own: own, reach: reach)
        faults = DeviceFaults(own: own, names: names, sync: sync, log: log)
        membersProgress = MembersProgress(own: own, names: names, sync: sync, reach: reach)
        meetings = MeetingNotes(sync: sync, store: store, log: log)
        peers = Peers(own: own, rooms: rooms, sync: sync, reach: reach, log: log, wall: wall)
        surroundings = EntrySurroundings(own: own, wall: wall, peers: reach.names)
        schemas = SchemaCache(surroundings)
        flags = FlagService(
            rooms: rooms, schemas: schemas, surroundings: surroundings, log: log)
        changes = ChangeEvents(own: own, names: names, schemas: schemas, watch: watch)
        autopush = Autopush(rooms: rooms, sealing: sealing, sync: sync, log: log)
        membership = Membership(
            own: own, names: names, rooms: rooms, reach: reach, advertising: advertising,
            watch: watch, log: log)
        completion = JoinCompletion(
            rooms: rooms, sync: sync, advertising: advertising, watch: watch)
        leaving = Leaving(
            own: own, rooms: rooms, membership: membership, sealing: sealing, sync: sync,
            reach: reach, joins: joins, advertising: advertising, watch: watch, log: log)
        rotation = IdentityRotation(
            own: own, names: names, data: data, store: store, rooms: rooms, sealing: sealing,
            sync: sync, joins: joins, log: log, wall: wall)
        peerEvents = PeerEvents(
            own: own, names: names, rooms: rooms, sync: sync, reach: reach, joins: joins,
            membership: membership, leaving: leaving, completion: completion, faults: faults,
            presence: Presence(), meetings: meetings, watch: watch)
        roomEvents = RoomEvents(
            own: own, rooms: rooms, reach: reach, joins: joins, membership: membership,
            leaving: leaving, completion: completion, faults: faults, changes: changes,
            advertising: advertising, autopush: autopush, flags: flags, watch: watch, log: log)
        try await rooms.recall()
        try await meetings.recall()
        try await joins.recall()
    }

    /// Works until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.accept() }
            group.addTask { await self.takeEvents() }
            group.addTask { await self.joins.run() }
            if let discovery {
                await advertising.refresh()
                group.addTask {
                    for await snapshot in discovery.snapshots {
                        self.report.yield(.discovered(snapshot))
                    }
                }
            }
            await reach.recall(met: sync.lastMet())
            let recovery = LossRecovery(rooms: rooms, sync: sync, log: log)
            let recovering = Task { await recovery.run() }
            defer { recovering.cancel() }
            for room in await rooms.all() {
                await membership.refresh(room)
                await flags.noteChange(of: room.id)
                // What was entered before a crash goes out now.
                await autopush.noteEntry(in: room.id)
            }
            // The first to end ends all.
            await group.next()
            group.cancelAll()
            report.finish()
        }
    }

    private func accept() async {
        while let connection = await listener.next() { await sync.adopt(connection) }
    }

    /// Ends what people watch, so that the control socket can close.
    package func endStreams() { watch.finish() }

    /// Ends sessions and listening; what is committed stays.
    package func stop() async {
        rotation.finish()
        listener.close()
        await joins.stop()
        await reach.stop()
        await discovery?.stop()
        await meetings.save()
        await sync.stop()
        await transport.stop()
        report.finish()
        await rooms.close()
        await store.finish()
    }
}
