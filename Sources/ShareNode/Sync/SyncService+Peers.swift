package import ShareCore
package import ShareCrypto
import ShareNet

/// What people want to know of the peers.
extension SyncService {
    /// A peer that is connected now.
    package struct Peer: Sendable {
        package let session: SessionID
        package let key: DeviceKey
        package let name: String
        package let address: String
        /// Whether this device dialled, so that the peer listens at the address.
        package let isInitiator: Bool
        /// Seconds by which the peer's wall clock was ahead when it said hello.
        package let clockSkew: Int
        package let rooms: [RoomID: Difference]
    }

    /// How two devices' copies of a room differ.
    package struct Difference: Sendable, Hashable {
        package let isIdentical: Bool
        /// Operations that they lack.
        package let behind: UInt64
        /// Operations that this device lacks.
        package let ahead: UInt64
        /// Whether both hold the same batches and yet come to another state.
        package var digestDiffers = false
    }

    package func peers() -> [Peer] {
        engine.sessions.values.filter { $0.hello != nil }.sorted { $0.id < $1.id }.map { session in
            var rooms: [RoomID: Difference] = [:]
            for (room, link) in session.links where link.isOpen {
                rooms[room] = difference(room, link, session)
            }
            return Peer(
                session: session.id, key: session.peer, name: session.hello?.name ?? "",
                address: session.address, isInitiator: session.isInitiator,
                clockSkew: skews[session.id] ?? 0, rooms: rooms)
        }
    }

    private func difference(
        _ room: RoomID, _ link: RoomLink, _ session: PeerSession
    ) -> Difference {
        guard let view = engine.rooms[room], !isIdentical(room, session) else {
            return Difference(isIdentical: engine.rooms[room] != nil, behind: 0, ahead: 0)
        }
        var behind: UInt64 = 0
        var ahead: UInt64 = 0
        for log in Set(view.logs.keys).union(link.peerLogs.keys)
        where isShared(log, with: session.peer, in: view) {
            let own = view.logs[log]?.operations ?? 0
            let theirs = link.peerLogs[log]?.operations ?? 0
            if own > theirs { behind &+= own - theirs } else { ahead &+= theirs - own }
        }
        let isSame = link.peerState?.vector == view.vector && !view.isSettling
        return Difference(
            isIdentical: false, behind: behind, ahead: ahead,
            digestDiffers: isSame && link.peerState?.digest != view.digest)
    }

    /// Whether two devices exchange a log: a contributor is sent nothing but control logs and
    /// what is its own.
    private func isShared(_ log: LogName, with peer: DeviceKey, in view: RoomView) -> Bool {
        if log.kind == .control { return true }
        for key in [peer, identity.key] where view.role(of: key)?.readsAll != true {
            guard log.author == key else { return false }
        }
        return true
    }

    /// Whether a connected peer holds what it may hold of a room and this device holds, and
    /// nothing else.
    private func isIdentical(_ room: RoomID, _ session: PeerSession) -> Bool {
        guard let view = engine.rooms[room], let link = session.links[room], link.hasToldUs
        else { return false }
        if view.role(of: session.peer)?.readsAll == true,
            view.role(of: identity.key)?.readsAll == true
        {
            return engine.isIdentical(room, with: session.id)
        }
        return Set(view.logs.keys).union(link.peerLogs.keys)
            .filter { isShared($0, with: session.peer, in: view) }
            .allSatisfy { log in
                let own = view.logs[log]?.heads ?? []
                let theirs = link.peerLogs[log]?.heads ?? []
                let number = view.logs[log]?.number ?? 0
                return holds(own, theirs, session.peer)
                    && theirs.allSatisfy { own.contains($0) || $0.number < number }
            }
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

    package func connectedKeys() -> Set<DeviceKey> {
        Set(engine.sessions.values.map(\.peer))
    }

    /// The session with a device once its hello has come; nil if that takes too long.
    package func sessionOnceMet(with key: DeviceKey, within time: Duration) async -> SessionID? {
        _ = await wait(for: time) { $0.session(with: key) != nil }
        return session(with: key)
    }

    /// What became of a delivery at one peer.
    package enum Delivery: Sendable, Hashable {
        case delivered
        case refusing(UInt64)
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

    /// Who holds all of a log, after waiting for everybody connected to.
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
            let isEven = link?.peerState?.vector == engine.rooms[room]?.vector
            let heads = link?.peerLogs[log]?.heads ?? []
            found[session.peer] =
                isEven || holds(own, heads, session.peer) ? .delivered : .pending
        }
        return found
    }

    /// Waits until the room is identical with every connected peer, or the time is up.
    package func settle(_ room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            let open = service.engine.sessions.values.filter { $0.links[room]?.isOpen == true }
            return !open.isEmpty
                && open.allSatisfy { service.isIdentical(room, $0) }
        }
    }

    /// Waits until a member is connected in the room, or the time is up.
    package func connection(to room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            service.engine.sessions.values.contains { $0.links[room]?.isOpen == true }
        }
    }

    /// Whether a member that is connected has told how far its logs go.
    package func hasFirstWord(in room: RoomID) -> Bool {
        engine.sessions.values.contains { $0.links[room]?.hasToldUs == true }
    }

    /// Waits until a member has told how far its logs go, or the time is up.
    package func firstWord(in room: RoomID, within time: Duration) async {
        _ = await wait(for: time) { $0.hasFirstWord(in: room) }
    }

    /// Waits until no peer is about to give back batches of this device's own, or the time is up.
    package func ownLog(of room: RoomID, within time: Duration) async {
        _ = await wait(for: time) { !$0.engine.recovering.contains(room) }
    }

    /// What sealing in a room waits for; nil where it may go on.
    package func recovery(of room: RoomID) -> SyncEngine.Recovery? {
        engine.recovery(of: room, now: now)
    }

    /// The identities that were seen on two machines within the last hour.
    package func twins() -> Set<DeviceKey> { engine.twins(now: now) }

    /// Ends the sessions with a device that are about nothing but one room.
    package func part(from key: DeviceKey, in room: RoomID) {
        for session in engine.sessions.values
        where session.peer == key && Array(session.links.keys) == [room] {
            connections[session.id]?.outgoing.finish()
        }
    }

    /// Who is connected in a room, and whether this device dialled.
    package func linkedKeys(in room: RoomID) -> [DeviceKey: Bool] {
        var keys: [DeviceKey: Bool] = [:]
        for session in engine.sessions.values where session.links[room]?.isOpen == true {
            keys[session.peer] = session.isInitiator
        }
        return keys
    }

    // MARK: Joining

    package func send(_ message: JoinMessage, to id: SessionID) {
        connections[id]?.outgoing.yield(.join(message))
    }

    /// What a join on a session needs: the peer's key and the exporter; nil if it has ended.
    package func joinable(_ id: SessionID) -> (peer: DeviceKey, exporter: [UInt8])? {
        connections[id].map { ($0.connection.peerKey, $0.joinExporter) }
    }

    package func setJoining(_ isJoining: Bool, on id: SessionID) {
        handle(.joining(id, isJoining))
    }

    package func session(with key: DeviceKey) -> SessionID? {
        engine.sessions.values.filter { $0.peer == key && $0.hello != nil }.map(\.id).max()
    }

}
