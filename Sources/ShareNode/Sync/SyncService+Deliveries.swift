package import ShareCore
package import ShareCrypto
import ShareNet

/// The fate of batches at the peers of a room.
extension SyncService {
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

    /// The peers that hold all of these logs, after waiting for everybody connected to.
    package func holders(
        of logs: [LogName], in room: RoomID, within time: Duration
    ) async -> [DeviceKey: Delivery] {
        _ = await wait(for: time) { service in
            service.holders(of: logs, in: room).values.allSatisfy { $0 == .delivered }
        }
        return holders(of: logs, in: room)
    }

    private func holders(of logs: [LogName], in room: RoomID) -> [DeviceKey: Delivery] {
        let own = logs.flatMap { engine.rooms[room]?.logs[$0]?.heads ?? [] }
        var found: [DeviceKey: Delivery] = [:]
        for session in readers(of: room) {
            let link = session.links[room]
            let progress = engine.progress(in: room, with: session.id)
            let isEven = progress?.behind == 0 && progress?.state != .unheard
            let heads = logs.flatMap { link?.peerLogs[$0]?.heads ?? [] }
            let hindered = own.lazy.compactMap { self.acknowledgements[$0.batch]?[session.peer] }
                .first(where: \.isHinderedByDisk)
            found[session.peer] =
                isEven || holds(own, heads, session.peer)
                ? .delivered : hindered.map { .cannotStore($0.storing) } ?? .pending
        }
        return found
    }
}
