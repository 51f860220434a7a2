package import ShareCore
package import ShareCrypto
import ShareNet

/// The state of the peers, for people.
extension SyncService {
    /// A peer that is connected now.
    package struct Peer: Sendable {
        package let session: SessionID
        package let key: DeviceKey
        package let name: String
        package let address: String
        /// Whether this device dialled, so that the peer listens at the address.
        package let isInitiator: Bool
        /// Seconds by which the peer's wall clock is ahead, if it has run evenly since its hello.
        package let clockSkew: Int
        /// How long it has not answered; nil where it does.
        package let silence: Duration?
        package let rooms: [RoomID: PeerProgress]
    }

    package func peers() -> [Peer] {
        engine.sessions.values.filter { $0.hello != nil }.sorted { $0.id < $1.id }.map { session in
            var rooms: [RoomID: PeerProgress] = [:]
            for room in session.links.keys {
                rooms[room] = engine.standing(in: room, with: session.id)
            }
            return Peer(
                session: session.id, key: session.peer, name: session.hello?.name ?? "",
                address: session.address, isInitiator: session.isInitiator,
                clockSkew: ahead(session.id), silence: engine.silence(of: session.id, now: now),
                rooms: rooms)
        }
    }

    private func ahead(_ session: SessionID) -> Int {
        guard let clock = clocks[session] else { return 0 }
        let own = Int64(min(wall(), Timestamp.latest.milliseconds))
        return Int(clock + Int64(now / .milliseconds(1)) - own) / 1_000
    }

    /// The clocks of the devices with a room in common that are connected now.
    func clockComparison() -> ClockComparison {
        ClockComparison(
            Dictionary(
                peers().filter { !$0.rooms.isEmpty && !ownKeys.contains($0.key) }
                    .map { ($0.key, $0.clockSkew) }, uniquingKeysWith: { $1 }))
    }

    /// How the connected members of a room stand. Of several sessions with a device the latest
    /// counts.
    package func standings(in room: RoomID) -> [DeviceKey: PeerProgress] {
        var found: [DeviceKey: PeerProgress] = [:]
        for id in engine.sessions.keys.sorted() {
            guard let session = engine.sessions[id], session.peer != identity.key,
                let standing = engine.standing(in: room, with: id)
            else { continue }
            found[session.peer] = standing
        }
        return found
    }

    /// How members stand that were connected before, as far as is known.
    package func lastProgress(in room: RoomID) -> [DeviceKey: PeerProgress] {
        engine.lastProgress(in: room)
    }

    /// How a member stands, or stood when it was met last.
    package struct Meeting: Sendable {
        package var isConnected: Bool
        package var standing: PeerProgress?
        /// Operations that it had made and not sealed, by its own word.
        package var pending: UInt64?
        /// When it was met last, in milliseconds since 1970; of one that is connected, when it
        /// said something last.
        package var at: UInt64?
        /// How long it has not answered; nil where it does.
        package var silence: Duration?
    }

    /// The members that are connected or were met before.
    package func meetings(in room: RoomID) -> [DeviceKey: Meeting] {
        var found: [DeviceKey: Meeting] = [:]
        let last = engine.lastProgress(in: room)
        for (key, met) in engine.lastMeetings(in: room) {
            found[key] = Meeting(
                isConnected: false, standing: last[key], pending: met.pending, at: met.at)
        }
        for id in engine.sessions.keys.sorted() {
            guard let session = engine.sessions[id], session.peer != identity.key,
                let standing = engine.standing(in: room, with: id)
            else { continue }
            let silence = engine.silence(of: id, now: now)
            let ago = UInt64(max(0, (silence ?? .zero) / .milliseconds(1)))
            found[session.peer] = Meeting(
                isConnected: true, standing: standing,
                pending: session.links[room]?.peerPending, at: wall() - min(ago, wall()),
                silence: silence)
        }
        return found
    }

    /// How members stand and stood, to be kept; of one device, or of all.
    package func lastStatuses(of only: DeviceKey?) -> [RoomID: [DeviceKey: LastKnownStatus]] {
        var found = engine.departed
        for session in engine.sessions.values {
            for room in session.links.keys {
                if let status = engine.lastStatus(of: session.id, from: room) {
                    found[room, default: [:]][session.peer] = status
                }
            }
        }
        guard let only else { return found }
        return found.compactMapValues { meetings in meetings[only].map { [only: $0] } }
    }

    package func remember(_ meetings: [DeviceKey: LastKnownStatus], in room: RoomID) {
        handle(.remembered(room, meetings))
    }

    /// Operations of others that this device holds of a room.
    package func operationsOfOthers(in room: RoomID) -> UInt64 {
        engine.rooms[room]?.logs.reduce(0) { sum, log in
            log.key.author == identity.key ? sum : sum &+ log.value.operations
        } ?? 0
    }

    /// Whether a peer holds these heads: as it told how far its log goes, or by its word on each,
    /// which may have come over an earlier session.
    private func holds(_ heads: [LogHead], _ told: [LogHead], _ peer: DeviceKey) -> Bool {
        heads.allSatisfy {
            told.contains($0) || acknowledgements[$0.batch]?[peer]?.isStored == true
        }
    }

    /// The sessions in which a room is open, with devices that may hold this device's records.
    private func readers(of room: RoomID) -> [PeerSession] {
        engine.sessions.values.filter { session in
            session.links[room]?.isOpen == true && session.peer != identity.key
                && engine.rooms[room]?.role(of: session.peer)?.readsAll == true
        }
    }

    /// Waits until this device holds what any connected peer holds of a room's control logs, or
    /// the time is up.
    package func controlLogs(of room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            guard let view = service.engine.rooms[room] else { return false }
            let links = service.engine.sessions.values.compactMap { $0.links[room] }
                .filter(\.hasToldUs)
            return !links.isEmpty
                && links.allSatisfy { link in
                    link.peerLogs.allSatisfy { log, state in
                        log.kind != .control || (view.logs[log]?.number ?? 0) >= state.number
                    }
                }
        }
    }

    /// Waits until this device has a role in a room, or the time is up.
    package func admission(to room: RoomID, within time: Duration) async -> Bool {
        let key = identity.key
        return await wait(for: time) { $0.engine.rooms[room]?.role(of: key) != nil }
    }

    /// A room as it was after the last change; nobody waits for its store.
    package func view(of room: RoomID) -> RoomView? { engine.rooms[room] }

    /// Operations of a room that this device lacks and a connected peer has: the most that any has,
    /// as far as it has told.
    package func operationsLacking(in room: RoomID) -> UInt64 {
        standings(in: room).values.map(\.ahead).max() ?? 0
    }

    /// How long a peer takes to answer a ping; nil if it does not within the time.
    package func roundTrip(on id: SessionID, within time: Duration) async -> Duration? {
        guard let live = connections[id] else { return nil }
        let before = answers[id]?.count ?? 0
        let start = ContinuousClock.now
        _ = live.outgoing.add(.ping)
        let hasAnswered = await wait(for: time) { service in
            service.connections[id] == nil || (service.answers[id]?.count ?? 0) > before
        }
        guard hasAnswered, let answer = answers[id], answer.count > before else { return nil }
        return start.duration(to: answer.at)
    }

    func noteAnswer(on id: SessionID) {
        guard connections[id] != nil else { return }
        answers[id] = ((answers[id]?.count ?? 0) + 1, .now)
    }

    package func connectedKeys() -> Set<DeviceKey> {
        Set(engine.sessions.values.map(\.peer))
    }

    /// The session with a device once its hello has come; nil if that takes too long.
    package func sessionOnceMet(with key: DeviceKey, within time: Duration) async -> SessionID? {
        let deadline = ContinuousClock.now + time
        while true {
            let hasMet = await wait(for: deadline - .now) { $0.session(with: key) != nil }
            // Of crossed dials one ends: it may have been this one, before this task went on.
            if let session = session(with: key) { return session }
            guard hasMet else { return nil }
        }
    }

    /// The fate of a delivery at one peer.
    package enum Delivery: Sendable, Hashable {
        case delivered
        case refusing(UInt64)
        /// It could not store something: its disk is full, or fails.
        case cannotStore(Acknowledgement.Storing)
        case pending
    }

    /// Waits until every connected peer of a room has acknowledged `batches`, or the time is up.
    package func delivery(
        of batches: [BatchID], in room: RoomID, within time: Duration
    ) async -> [DeviceKey: Delivery] {
        _ = await wait(for: time) { service in
            service.deliveries(of: batches, in: room).values.allSatisfy { $0 != .pending }
        }
        return deliveries(of: batches, in: room)
    }

    private func deliveries(of batches: [BatchID], in room: RoomID) -> [DeviceKey: Delivery] {
        var deliveries: [DeviceKey: Delivery] = [:]
        for session in readers(of: room) {
            let answers = batches.map { acknowledgements[$0]?[session.peer] }
            if let hindered = answers.compactMap({ $0 }).first(where: \.isHinderedByDisk) {
                deliveries[session.peer] = .cannotStore(hindered.storing)
                continue
            }
            let refused = answers.reduce(UInt64(0)) { $0 &+ ($1?.refused ?? 0) }
            if answers.contains(where: { $0 == nil }) {
                // A session of the same peer that was replaced may have brought the answer.
                deliveries[session.peer] = deliveries[session.peer] ?? .pending
            } else {
                let isStored = answers.allSatisfy { $0?.isStored == true }
                deliveries[session.peer] =
                    isStored && refused == 0 ? .delivered : .refusing(refused)
            }
        }
        return deliveries
    }

    /// The peers that hold all of a log, after waiting for everybody connected to.
    package func holders(
        of log: LogName, in room: RoomID, within time: Duration
    ) async -> [DeviceKey: Delivery] {
        _ = await wait(for: time) { service in
            service.holders(of: log, in: room).values.allSatisfy { $0 == .delivered }
        }
        return holders(of: log, in: room)
    }

    private func holders(of log: LogName, in room: RoomID) -> [DeviceKey: Delivery] {
        let own = engine.rooms[room]?.logs[log]?.heads ?? []
        var found: [DeviceKey: Delivery] = [:]
        for session in readers(of: room) {
            let link = session.links[room]
            let standing = engine.standing(in: room, with: session.id)
            let isEven = standing?.behind == 0 && standing?.state != .unheard
            let heads = link?.peerLogs[log]?.heads ?? []
            let hindered = own.lazy.compactMap { self.acknowledgements[$0.batch]?[session.peer] }
                .first(where: \.isHinderedByDisk)
            found[session.peer] =
                isEven || holds(own, heads, session.peer)
                ? .delivered : hindered.map { .cannotStore($0.storing) } ?? .pending
        }
        return found
    }

    /// Waits until the room is identical with every connected peer, or the time is up. A peer
    /// that has said nothing of what it holds for a while is not waited for.
    package func untilIdentical(_ room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            var identical = 0
            for (id, session) in service.engine.sessions where session.peer != service.identity.key
            {
                guard let link = session.links[room], link.isOpen else { continue }
                // How one stands that does not answer is known as of when it did.
                if service.engine.isIdentical(room, with: id),
                    service.engine.silence(of: id, now: service.now) == nil
                {
                    identical += 1
                } else if link.hasToldUs || service.now - link.openedAt < SyncLimits.wordPatience {
                    return false
                }
            }
            return identical > 0
        }
    }

    /// Waits until the room is all that a connected member holds who may hold all of it, or the
    /// time is up. A contributor knows too little of what others have of this device's own logs;
    /// it counts where nobody else could tell.
    package func refill(_ room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            guard let view = service.engine.rooms[room] else { return false }
            let own = service.identity.key
            let knowing = view.standings.keys.filter {
                $0 != own && view.role(of: $0)?.readsAll == true
            }
            return service.engine.sessions.contains { id, session in
                session.peer != own && (knowing.isEmpty || knowing.contains(session.peer))
                    && service.engine.isIdentical(room, with: id)
            }
        }
    }

    /// Waits until a member is connected in the room, or the time is up.
    package func connection(to room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            service.engine.sessions.values.contains { $0.links[room]?.isOpen == true }
        }
    }

    /// Whether sealing in a room waits for a member to tell how far its logs go.
    package func awaitsFirstTelling(in room: RoomID) -> Bool {
        engine.awaitsFirstTelling(in: room)
    }

    /// Whether sealing in a room is paused.
    package func isSealingPaused(in room: RoomID) -> Bool { engine.isSealingPaused(in: room) }

    /// Waits until sealing in a room is not paused any more, or the time is up.
    package func ownLog(of room: RoomID, within time: Duration) async {
        _ = await wait(for: time) { !$0.engine.isSealingPaused(in: room) }
    }

    /// The batches of this device's own that sealing in a room waits for; nil where it waits for
    /// none.
    package func recovery(of room: RoomID) -> SyncEngine.Recovery? {
        engine.recovery(of: room, now: now)
    }

    /// The identities that were seen on two machines within the last hour.
    package func duplicateIdentities() -> Set<DeviceKey> { engine.duplicateIdentities(now: now) }

    /// Ends the sessions with a device that are about nothing but one room.
    package func part(from key: DeviceKey, in room: RoomID) {
        for session in engine.sessions.values
        where session.peer == key && Array(session.links.keys) == [room] {
            connections[session.id]?.outgoing.finish()
        }
    }

    /// The devices connected in a room, and whether this device dialled each.
    package func linkedKeys(in room: RoomID) -> [DeviceKey: Bool] {
        var keys: [DeviceKey: Bool] = [:]
        for session in engine.sessions.values where session.links[room]?.isOpen == true {
            keys[session.peer] = session.isInitiator
        }
        return keys
    }

    // MARK: Joining

    package func send(_ message: JoinMessage, to id: SessionID) {
        _ = connections[id]?.outgoing.add(.join(message))
    }

    /// The parts of a session that a join needs: the peer's key and the exporter; nil if it has
    /// ended.
    package func joinable(_ id: SessionID) -> (peer: DeviceKey, exporter: [UInt8])? {
        connections[id].map { ($0.connection.peerKey, $0.joinExporter) }
    }

    /// The sessions with devices that have shown to know a room, members or not.
    func sessions(knowing room: RoomID) -> [SessionID] {
        engine.sessions.values.filter { $0.links[room] != nil }.map(\.id).sorted()
    }

    /// Says whether a join is under way on a session, which is then kept; false where it has ended.
    @discardableResult
    package func setJoining(_ isJoining: Bool, on id: SessionID) -> Bool {
        handle(.joining(id, isJoining))
        return connections[id] != nil
    }

    package func session(with key: DeviceKey) -> SessionID? {
        engine.sessions.values.filter { $0.peer == key && $0.hello != nil }.map(\.id).max()
    }

}
