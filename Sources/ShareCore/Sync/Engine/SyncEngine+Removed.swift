package import ShareCrypto

/// Ending a room with a device that was removed from it, and telling it so
/// (docs/protocol.md, "Sessions").
extension SyncEngine {
    /// Whether one of the two is out of the room, as far as is known here. Who leaves still has
    /// to say so, so this device's own leave ends nothing here.
    func isParted(_ room: RoomID, from peer: DeviceKey) -> Bool {
        guard let view = rooms[room] else { return false }
        return view.isGone(peer) || view.standings[key] == .removed
    }

    /// Ends a room on a session at once: nothing of it is sent, asked for or expected any more.
    mutating func shut(_ room: RoomID, with id: SessionID) {
        guard let link = sessions[id]?.links[room] else { return }
        sessions[id]?.links[room] = link.closed
        endServings(of: room, to: id)
        fetching = fetching.filter { $0.key.room != room || $0.value != id }
        // What was being fetched from it is fetched from somebody else.
        for other in sessions.keys.sorted() { plan(room, with: other) }
        pump(id)
    }

    /// Each request is answered, whatever it comes to: the peer asks no other as long.
    mutating func endServings(of room: RoomID, to id: SessionID) {
        let ended = sessions[id]?.servings.filter { $0.room == room } ?? []
        sessions[id]?.servings.removeAll { $0.room == room }
        for serving in ended { send(.end(room, serving.log, isLost: false), to: id) }
    }

    /// Lets a peer go with which this device has parted in a room. A peer that was removed is
    /// told first, by one that was removed itself as well: it is shown what proves it, and nothing
    /// else.
    mutating func part(_ room: RoomID, with id: SessionID) {
        guard let view = rooms[room], let session = sessions[id], let link = session.links[room]
        else { return }
        if session.partingSince == nil { sessions[id]?.partingSince = now }
        guard view.isGone(session.peer), !link.isTellingRemoval,
            informed[room]?[session.peer] != session.hello?.instance
        else { return }
        sessions[id]?.links[room]?.isTellingRemoval = true
        actions.append(.loadRemoval(id, room, of: session.peer))
    }

    mutating func tellRemoval(_ batches: [Batch], in room: RoomID, to id: SessionID) {
        // It may have been admitted again while this was looked up.
        guard let session = sessions[id], session.links[room]?.isTellingRemoval == true,
            rooms[room]?.isGone(session.peer) == true
        else { return }
        sessions[id]?.links[room]?.removal = Set(batches.map(\.id))
        sessions[id]?.partingSince = now
        show(batches, in: room, to: id)
    }

    /// Takes in that a removed peer has stored its removal; then there is nothing more to say.
    mutating func noteInformed(
        _ list: [Acknowledgement], in room: RoomID, of id: SessionID
    ) {
        guard let session = sessions[id], let instance = session.hello?.instance,
            let untold = session.links[room]?.removal, !untold.isEmpty
        else { return }
        let left = untold.subtracting(list.filter(\.isStored).map(\.head.batch))
        sessions[id]?.links[room]?.removal = left
        guard left.isEmpty else { return }
        informed[room, default: [:]][session.peer] = instance
        if !session.isProven, !session.isJoining { close(id, .removed) }
    }

    /// Answers records of a device that this one has parted with, so that they leave its window:
    /// it may not have heard of its removal yet.
    mutating func turnAway(_ batch: Batch, from id: SessionID) {
        let answer = Acknowledgement(
            log: batch.log, head: batch.head, isStored: false, accepted: 0, waiting: 0, refused: 0)
        send(.acknowledge(batch.room, [answer]), to: id)
        noteTurnedAway(batch.size, from: id)
    }

    /// Ends a session on which too much comes that is not kept.
    mutating func noteTurnedAway(_ bytes: Int, from id: SessionID) {
        guard let sum = sessions[id].map({ $0.turnedAwayBytes + bytes }) else { return }
        sessions[id]?.turnedAwayBytes = sum
        if sum > SyncLimits.unkeptBytes { close(id, .tooMuch) }
    }

    /// Whether a removed device has said that it holds what shows its removal.
    package func hasBeenTold(_ peer: DeviceKey, of room: RoomID) -> Bool {
        informed[room]?[peer] != nil
    }
}
