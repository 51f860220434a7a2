import ShareControl
import ShareCore
import ShareCrypto
package import ShareNet
import ShareStore
import Synchronization

/// Performs what the synchronisation decides: the shell around `SyncEngine`.
///
/// Frames are read, checked and unpacked in a task of each connection; batches are merged by one
/// task for each room; only the decisions are made here, one after the other.
package actor SyncService {
    let identity: DeviceIdentity
    /// The keys that this device has, or had.
    let ownKeys: Set<DeviceKey>
    let log: Log
    var engine: SyncEngine
    var connections: [SessionID: LiveConnection] = [:]
    /// The time on each peer's wall clock when this device was started, in milliseconds, by its
    /// hello.
    var clocks: [SessionID: Int64] = [:]
    var rooms: [RoomID: RoomMerger] = [:]
    /// Unpacked batches on their way from a reader to a merger.
    var unpacked: [BatchID: IncomingBatch] = [:]
    var acknowledgements: [BatchID: [DeviceKey: Acknowledgement]] = [:]
    /// The batches whose acknowledgements are kept, the oldest first.
    var tracked: [BatchID] = []
    /// Rooms whose records follow a change of authority, with the task that sees to it.
    var reapplying: [RoomID: Task<Void, Never>] = [:]
    /// When each session has answered a ping last.
    var answeredAt: [SessionID: ContinuousClock.Instant] = [:]
    /// Rooms whose operations that are not sealed are about to be counted.
    var counting: Set<RoomID> = []
    /// Rooms in which their number has changed since it was told, with that change.
    var uncounted: [RoomID: UInt64] = [:]
    var changesCounted: UInt64 = 0
    private var nextSession: UInt64 = 1
    private var timer: Task<Void, Never>?
    private var timerAt: Duration?
    private var waiters: [UInt64: Waiter] = [:]
    private var nextWaiter: UInt64 = 1
    private let start = ContinuousClock.now
    let wall: @Sendable () -> UInt64
    /// Reports to the rest of the node; returns at once.
    let report: @Sendable (NodeEvent) -> Void
    /// The forms of each room, for readers to prepare batches with.
    nonisolated let definitions = DefinitionCache()

    /// Holds of sealing and their ends, told to the stores one after the other.
    let holds: AsyncStream<(RoomStore, Bool)>.Continuation

    struct LiveConnection {
        let connection: Connection
        let outgoing: Outbox
        let joinExporter: [UInt8]
        /// Takes in what the peer sends.
        let reading: Task<Void, Never>
        /// Whether the peer has said hello.
        var wasMet = false
        /// Whether a room was open on it.
        var wasLinked = false
    }

    private struct Waiter {
        let isMet: @Sendable (isolated SyncService) -> Bool
        let answer: CheckedContinuation<Bool, Never>
    }

    /// - Parameters:
    ///   - wall: the wall clock in milliseconds since 1970, for display on the other side.
    ///   - report: called with each event, in order; must return at once.
    init(
        _ own: OwnDevice, log: Log, wall: @escaping @Sendable () -> UInt64,
        report: @escaping @Sendable (NodeEvent) -> Void
    ) {
        identity = own.identity
        ownKeys = own.keys
        self.log = log
        self.report = report
        self.wall = wall
        let (stream, holds) = AsyncStream.makeStream(of: (RoomStore, Bool).self)
        self.holds = holds
        Task {
            for await (store, isHeld) in stream { await store.setSealingBlocked(isHeld) }
        }
        engine = SyncEngine(
            key: own.key, name: own.name, release: Release.version,
            random: SystemRandomNumberGenerator())
    }

    var now: Duration { start.duration(to: .now) }

    /// Hands an event to the engine and performs what it answers.
    func handle(_ event: SyncEngine.Event) {
        let actions = engine.handle(event, now: now, wall: wall())
        for action in actions { perform(action) }
        arm()
        wakeWaiters()
    }

    // MARK: Connections

    /// Takes over a connection until it ends.
    package func adopt(_ connection: Connection) async {
        let exporter: [UInt8]
        let joinExporter: [UInt8]
        do throws(TransportError) {
            exporter = try await connection.exporter(
                label: "EXPORTER-shared-session", length: Bytes32.count)
            joinExporter = try await connection.exporter(
                label: JoinChannel.exporterLabel, length: JoinChannel.exporterLength)
        } catch {
            return connection.close("it ended before it began")
        }
        guard let bound = Bytes32(exporter) else { return connection.close("no exporter") }
        let id = SessionID(nextSession)
        nextSession += 1
        let outgoing = Outbox()
        // It begins when this actor is free: the engine knows the session by then.
        let reading = Task {
            await self.read(connection, id)
            self.end(id)
        }
        connections[id] = LiveConnection(
            connection: connection, outgoing: outgoing, joinExporter: joinExporter,
            reading: reading)
        handle(
            .opened(
                id, peer: connection.peerKey, isInitiator: connection.isInitiator,
                exporter: bound, address: connection.remote.text,
                network: connection.network))
        Task { await Self.write(outgoing, to: connection) }
    }

    private static func write(_ outgoing: Outbox, to connection: Connection) async {
        while let message = await outgoing.next() {
            do throws(TransportError) {
                try await connection.send(message.encoded())
            } catch {
                break
            }
        }
        outgoing.finish()
        connection.close("the session is over")
    }

    /// Reads frames until the connection or the session ends. What needs time is done here, not in
    /// the actor.
    private nonisolated func read(_ connection: Connection, _ id: SessionID) async {
        do {
            while !Task.isCancelled, let frame = try await connection.nextFrame() {
                let message = try WireMessage(decoding: frame)
                if case .batch(let batch) = message, await mayMerge(batch, from: id) {
                    let definitions = definitions.definitions(of: batch.room)
                    await take(IncomingBatch(batch, definitions: definitions), from: id)
                } else {
                    switch message {
                    // Who asks looks at how this device stands now.
                    case .ping: await countPending()
                    case .pong: await noteAnswer(on: id)
                    default: break
                    }
                    await take(message, from: id)
                }
            }
        } catch let error as WireError {
            let peer: Log.Fields = ["peer": connection.peerKey.short]
            // A stranger may come as often as it likes.
            if await connections[id]?.wasLinked == true {
                log.notice("peer sent what is no message", peer)
            } else {
                log.info("peer sent what is no message", peer)
            }
            connection.close("what came is not of this protocol: \(error)")
        } catch {
            log.debug("connection ended", ["peer": connection.peerKey.short])
        }
    }

    /// Whether the body of a batch is worth unpacking: a few bytes on the wire can be a million
    /// absent values, and a stranger's batch comes to nothing.
    private func mayMerge(_ batch: Batch, from id: SessionID) -> Bool {
        engine.mayMerge(batch, from: id)
    }

    private func take(_ message: WireMessage, from id: SessionID) {
        let wasSilent = engine.silence(of: id, now: now) != nil
        handle(.received(id, message))
        guard wasSilent, let session = engine.sessions[id] else { return }
        report(.answering(session.links.filter(\.value.isOpen).keys.sorted()))
    }

    private func take(_ incoming: IncomingBatch, from id: SessionID) async {
        unpacked[incoming.batch.id] = incoming
        handle(.received(id, .batch(incoming.batch)))
        unpacked[incoming.batch.id] = nil
        await rooms[incoming.batch.room]?.haveRoom()
    }

    private func end(_ id: SessionID) {
        // The system may notice before this program that a line is dead.
        let wasSilent = engine.silence(of: id, now: now) != nil
        guard let live = drop(id) else { return }
        handle(.closed(id))
        report(
            .ended(
                id, live.connection.peerKey, wasMet: live.wasMet, wasLinked: live.wasLinked,
                wasSilent: wasSilent))
    }

    /// Ends a session from this side: nothing more is read at once, and what waits to be sent has
    /// `TransportLimits.linger` to go out. A peer that takes it a byte at a time holds its place,
    /// and sends what has to be checked, no longer than that.
    func close(_ live: LiveConnection) {
        live.reading.cancel()
        live.outgoing.finish()
        let connection = live.connection
        Task {
            try? await Task.sleep(for: connection.linger)
            connection.close("the session is over")
        }
    }

    /// Lets go of a connection; nil where that was done before.
    func drop(_ id: SessionID) -> LiveConnection? {
        clocks[id] = nil
        answeredAt[id] = nil
        let live = connections.removeValue(forKey: id)
        live?.outgoing.finish()
        return live
    }

    /// Ends every session and waits for nobody.
    package func stop() {
        timer?.cancel()
        holds.finish()
        for live in connections.values {
            live.outgoing.finish()
            live.connection.close("the daemon stops")
        }
        for merger in rooms.values { _ = merger.stop() }
        for task in reapplying.values { task.cancel() }
        for waiter in waiters.values { waiter.answer.resume(returning: false) }
        waiters = [:]
    }

    // MARK: Time

    private func arm() {
        guard let next = engine.nextTick else { return }
        if let timerAt, timerAt <= next, timerAt > now { return }
        timer?.cancel()
        timerAt = next
        let delay = max(next - now, .milliseconds(1))
        timer = Task {
            try? await Task.sleep(for: delay)
            guard !Task.isCancelled else { return }
            self.timerAt = nil
            self.handle(.tick)
        }
    }

    // MARK: Waiting

    /// Waits until a condition holds or the time is up, and says whether it holds. The
    /// condition is looked at after every event.
    func wait(
        for time: Duration, until isMet: @escaping @Sendable (isolated SyncService) -> Bool
    ) async -> Bool {
        if isMet(self) { return true }
        let number = nextWaiter
        nextWaiter += 1
        let limit = Task {
            try? await Task.sleep(for: time)
            guard !Task.isCancelled else { return }
            if let waiter = self.waiters.removeValue(forKey: number) {
                waiter.answer.resume(returning: false)
            }
        }
        defer { limit.cancel() }
        return await withCheckedContinuation { answer in
            waiters[number] = Waiter(isMet: isMet, answer: answer)
        }
    }

    private func wakeWaiters() {
        for (number, waiter) in waiters where waiter.isMet(self) {
            waiters[number] = nil
            waiter.answer.resume(returning: true)
        }
    }
}
