package import ShareCore
import ShareCrypto
import ShareNet

/// Waiting for a room to get somewhere.
extension SyncService {
    /// Operations of others that this device holds of a room.
    package func operationsOfOthers(in room: RoomID) -> UInt64 {
        engine.rooms[room]?.logs.reduce(0) { sum, log in
            log.key.author == identity.key ? sum : sum &+ log.value.operations
        } ?? 0
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
        progress(in: room).values.map(\.ahead).max() ?? 0
    }

    /// Waits until the room is identical with every connected peer, or the time is up. A peer
    /// that has said nothing of what it holds for a while is not waited for, nor one that was
    /// identical when it was heard last and does not answer.
    package func untilIdentical(_ room: RoomID, within time: Duration) async -> Bool {
        await wait(for: time) { service in
            var identical = 0
            for (id, session) in service.engine.sessions where session.peer != service.identity.key
            {
                guard let link = session.links[room], link.isOpen else { continue }
                if service.engine.isIdentical(room, with: id) {
                    // How one stands that does not answer is known as of when it did.
                    let silence = service.engine.silence(of: id, now: service.now)
                    identical += silence == nil ? 1 : 0
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

    /// Whether what is made now can be sealed at once, for a member in reach.
    package func isReadyToSeal(in room: RoomID) -> Bool {
        !engine.isSealingPaused(in: room) && hasCaughtUp(in: room)
    }

    /// Waits until sealing in a room is not paused any more, or the time is up.
    package func ownLog(of room: RoomID, within time: Duration) async {
        _ = await wait(for: time) { !$0.engine.isSealingPaused(in: room) }
    }

    /// The batches of this device's own that sealing in a room waits for; nil where it waits for
    /// none.
    package func recovery(of room: RoomID) -> SyncEngine.Recovery? {
        engine.recovery(of: room, now: now)
    }
}
