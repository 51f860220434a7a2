import ShareCrypto

/// Sending what a peer asked for, and what is new.
extension SyncEngine {
    /// Goes on serving a peer as far as its window allows.
    mutating func pump(_ id: SessionID) {
        guard let session = sessions[id], !session.isLoading, let serving = session.servings.first,
            session.inFlight < SyncLimits.window
        else { return }
        sessions[id]?.isLoading = true
        actions.append(
            .load(
                id, serving: serving.number, serving.room, serving.log, after: serving.after,
                cursor: serving.cursor,
                bytes: min(SyncLimits.loadChunk, SyncLimits.window - session.inFlight)))
    }

    /// Sends what was loaded for a request, as long as that is the one whose turn it is.
    mutating func serve(_ loaded: LoadedBatches, for number: UInt64, to id: SessionID) {
        guard let session = sessions[id] else { return }
        sessions[id]?.isLoading = false
        guard session.servings.first?.number == number else { return pump(id) }
        // The role is looked at again before each batch: it may have changed since the request.
        guard mayHold(session.peer, loaded.log, of: loaded.room) else {
            sessions[id]?.servings.removeFirst()
            send(.end(loaded.room, loaded.log, isLost: false), to: id)
            return pump(id)
        }
        for batch in loaded.batches { deliver(batch, counting: batch.size, to: id) }
        if let next = loaded.next {
            sessions[id]?.servings[0].cursor = next
        } else {
            sessions[id]?.servings.removeFirst()
            send(.end(loaded.room, loaded.log, isLost: loaded.isLost), to: id)
        }
        pump(id)
    }

    /// Sends a batch, of which `size` bytes count in the window until it is acknowledged.
    mutating func deliver(_ batch: Batch, counting size: Int, to id: SessionID) {
        if sessions[id]?.unacknowledged[batch.id] == nil {
            sessions[id]?.unacknowledged[batch.id] =
                PeerSession.Unacknowledged(
                    log: batch.log, head: batch.head, size: size, copies: 1)
            sessions[id]?.inFlight += size
        } else {
            sessions[id]?.unacknowledged[batch.id]?.copies += 1
        }
        send(.batch(batch), to: id)
    }

    /// Takes the peer's word on one batch; false if it was not sent to it on this session.
    mutating func finish(_ entry: Acknowledgement, of id: SessionID) -> Bool {
        guard var sent = sessions[id]?.unacknowledged[entry.head.batch], sent.head == entry.head,
            sent.log == entry.log
        else { return false }
        sessions[id]?.inFlight -= sent.size
        if !entry.isStored { sessions[id]?.unkeptBytes += sent.size }
        sent.size = 0
        sent.copies -= 1
        sessions[id]?.unacknowledged[entry.head.batch] = sent.copies > 0 ? sent : nil
        return true
    }

    /// Offers new batches to every session that may have them and does not: small ones at once
    /// where the peer holds what comes before, others by name.
    ///
    /// Its author sends a small batch to all. Whoever passes it on sends it to one, at random,
    /// and names it to the others: most get it by another way, and asking costs them less than a
    /// second copy.
    mutating func spread(_ batches: [Batch], in room: RoomID) {
        guard let view = rooms[room] else { return }
        let open = sessions.keys.filter { sessions[$0]?.links[room]?.isOpen == true }.sorted()
        for batch in batches {
            let isOwn = batch.author == key
            var left = isOwn ? open.count : SyncLimits.unaskedCopies
            // Where all of them get it there is nothing to choose.
            let order = open.count <= left ? open : open.shuffled(using: &random)
            let operations = view.logs[batch.log]?.operations ?? 0
            for id in order {
                guard let session = sessions[id], mayHold(session.peer, batch.log, of: room),
                    let link = session.links[room], lacks(batch, link)
                else { continue }
                if left > 0, takesUnasked(batch, session, link) {
                    left -= 1
                    deliver(batch, counting: batch.size, to: id)
                } else {
                    send(.announce(room, batch.log, batch.head, operations: operations), to: id)
                }
            }
        }
    }

    /// Whether a peer is not known to hold a batch.
    private func lacks(_ batch: Batch, _ link: RoomLink) -> Bool {
        link.peerLogs[batch.log]?.heads.contains(batch.head) != true
            && !link.held.contains(batch.id)
    }

    private func takesUnasked(_ batch: Batch, _ session: PeerSession, _ link: RoomLink) -> Bool {
        let continues =
            batch.number == 1
            || link.peerLogs[batch.log]?.heads.contains { $0.batch == batch.previous } == true
            || session.unacknowledged[batch.previous] != nil
        // Who has told nothing may not count this device as a member, and would take no records.
        return batch.size <= SyncLimits.unasked && continues && link.hasHeard
            && session.servings.isEmpty && session.inFlight < SyncLimits.window
    }

    /// Says what the room comes to, once nothing is under way.
    mutating func tellState(of room: RoomID, to id: SessionID) {
        guard let view = rooms[room], let session = sessions[id], let link = session.links[room],
            link.isOpen, link.hasTold, link.hasHeard, link.asked.isEmpty, link.checking.isEmpty,
            session.servings.isEmpty, session.inFlight == 0, !view.isReapplying,
            let own = link.own, link.lastState != own
        else { return }
        sessions[id]?.links[room]?.lastState = own
        send(.state(room, own), to: id)
    }
}
