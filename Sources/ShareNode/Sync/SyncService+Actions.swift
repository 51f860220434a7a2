import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// The actions that the engine decides on, done here.
extension SyncService {
    func perform(_ action: SyncEngine.Action) {
        switch action {
        case .send(let id, let message):
            // Nothing may be left out of a session, so one that does not read ends.
            if connections[id]?.outgoing.add(message) == false {
                connections[id]?.connection.close("it does not read")
            }
        case .close(let id, let reason):
            if let live = drop(id) {
                close(live)
                log.info(
                    "session ends", ["peer": live.connection.peerKey.short, "why": "\(reason)"])
                report(
                    .ended(
                        id, live.connection.peerKey, wasMet: live.wasMet,
                        wasLinked: live.wasLinked, wasSilent: reason == .silent))
            }
        case .trust(let id):
            connections[id]?.connection.admit()
            connections[id]?.outgoing.trust()
        case .load(let id, let serving, let room, let log, let after, let cursor, let bytes):
            let nothing = SyncEngine.LoadedBatches(
                room: room, log: log, batches: [], next: nil, isLost: false)
            query(room, orElse: .loaded(id, serving: serving, nothing)) { store in
                .loaded(
                    id, serving: serving,
                    try await store.load(log, after: after, cursor: cursor, bytes: bytes))
            }
        case .find(let id, let room, let log, let heads):
            query(room, orElse: .found(id, room, log, missing: heads, positions: [])) { store in
                let found = try await store.find(log, heads)
                return .found(id, room, log, missing: found.missing, positions: found.positions)
            }
        case .loadGrantProof(let id, let room):
            let key = identity.key
            query(room) { store in .grantProof(id, room, try await store.grantProof(of: key)) }
        case .loadRemoval(let id, let room, let peer):
            query(room) { store in .removal(id, room, try await store.removal(of: peer)) }
        case .merge(let id, let room, let batch):
            rooms[room]?.enqueue(unpacked[batch.id] ?? IncomingBatch(batch), from: id)
        case .holdSealing(let room, let isHeld):
            guard let store = rooms[room]?.store else { break }
            log.notice(
                isHeld
                    ? "sealing is paused: a member has more of this device's own log"
                    : "sealing goes on", ["room": room.short])
            report(.sealingPaused(room, isHeld))
            holds.yield((store, isHeld))
        case .acknowledged(let room, let peer, let acknowledgement):
            report(.acknowledged(room, peer, acknowledgement))
            if acknowledgements[acknowledgement.head.batch] != nil {
                acknowledgements[acknowledgement.head.batch]?[peer] = acknowledgement
            }
        case .learned(let addresses): report(.learned(addresses))
        case .told(let key, let release, let names):
            report(.told(key, release: release, names))
        case .join(let id, let message):
            guard let live = connections[id] else { break }
            report(.join(id, live.connection, exporter: live.joinExporter, message))
        case .met(let id):
            guard let session = engine.sessions[id], let hello = session.hello else { break }
            connections[id]?.wasMet = true
            let told = Int64(min(hello.wall, Timestamp.latest.milliseconds))
            clocks[id] = told - Int64(now / .milliseconds(1))
            report(
                .met(
                    session.peer, name: hello.name,
                    address: session.isInitiator ? session.address : nil))
        case .linked(let id, let room):
            guard let session = engine.sessions[id] else { break }
            log.info("connected", ["peer": session.peer.short, "room": room.short])
            connections[id]?.wasLinked = true
            report(.linked(room, session.peer))
        case .progress(let id, let room, let isIdentical):
            guard let session = engine.sessions[id] else { break }
            report(.progress(room, session.peer, isIdentical: isIdentical))
            if isIdentical { tellHolding(of: room, by: session.peer) }
        case .notice(let notice):
            write(notice)
            report(.notice(notice))
        }
    }

    /// Tells that a member holds all of this device's own entries, and all control logs. It may
    /// have got them from others, so that it never acknowledged them here.
    private func tellHolding(of room: RoomID, by peer: DeviceKey) {
        guard !ownKeys.contains(peer), let view = engine.rooms[room] else { return }
        let readsAll = view.role(of: peer)?.readsAll == true
        let held = view.logs.filter {
            $0.key.kind == .control || readsAll && ownKeys.contains($0.key.author)
        }
        if !held.isEmpty { report(.holding(room, peer, held.mapValues(\.heads))) }
    }

    private func write(_ notice: SyncEngine.Notice) {
        switch notice {
        case .digestsDiffer(let room, let peer):
            log.error(
                "equal logs but unequal state: run shared verify on both devices",
                ["room": room.short, "peer": peer.short])
        case .otherVersion(let peer, let version):
            // Anybody may cause it, as often as he likes.
            log.info(
                "a device speaks another version of the protocol: update the older one",
                ["device": peer.short, "version": "\(version)"])
        case .identityTwice(let peer):
            log.warning(
                peer == identity.key
                    ? "this identity runs on another machine as well"
                    : "an identity runs on two machines", ["device": peer.short])
        }
    }

    /// Asks the store. Where it fails, the session hears so: one answer that does not come would
    /// hold up all that waits behind it.
    private func query(
        _ room: RoomID, orElse failure: SyncEngine.Event? = nil,
        _ question: @escaping @Sendable (RoomStore) async throws -> SyncEngine.Event
    ) {
        guard let store = rooms[room]?.store else { return }
        Task {
            do {
                self.handle(try await question(store))
            } catch {
                log.error("reading the store failed", ["room": room.short, "error": "\(error)"])
                if let failure { self.handle(failure) }
            }
        }
    }
}
