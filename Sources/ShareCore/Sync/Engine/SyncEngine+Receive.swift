import ShareCrypto

extension SyncEngine {
    mutating func receive(_ message: WireMessage, from id: SessionID) {
        guard let session = sessions[id] else { return }
        sessions[id]?.lastReceived = now
        sessions[id]?.askedAt = nil
        switch message {
        case .hello(let hello): return receive(hello, in: id)
        case .otherHello(let version): return refuse(version: version, in: id)
        case .join(let message):
            guard session.hello != nil else { return close(id, .unexpectedMessage) }
            guard session.joinMessages < SyncLimits.joinMessages else {
                return close(id, .tooMuch)
            }
            sessions[id]?.joinMessages += 1
            return actions.append(.join(id, message))
        case .ping:
            for room in session.links.keys.sorted() { tellPending(of: room, to: id, atOnce: true) }
            return send(.pong, to: id)
        case .pong:
            sessions[id]?.pongs = min(session.pongs + 1, session.pings)
            return answered(id)
        default: break
        }
        guard session.hello != nil else { return close(id, .unexpectedMessage) }
        switch message {
        case .batch(let batch): return receive(batch, from: id)
        case .proofs(let proofs):
            guard session.proofMessages < SyncLimits.proofMessages else {
                return close(id, .tooMuch)
            }
            sessions[id]?.proofMessages += 1
            return take(proofs, from: id)
        case .acknowledge(let room, let list): return take(list, of: room, from: id)
        case .have(let room, let logs, let pending):
            guard session.links[room] != nil else { return }
            guard sessions[id]?.links[room]?.haves.take(now: now) == true else {
                return close(id, .tooMuch)
            }
            sessions[id]?.links[room]?.peerPending = pending
            // That number alone is news of nothing else.
            guard !logs.isEmpty else { return }
            // Like all that a peer tells of what it holds, it may come before the grant that opens
            // the link on this side, and it does not come again.
            hear(logs, of: room, from: id)
            guard session.links[room]?.isOpen == true else { break }
            noteFirstTelling(logs, of: room, by: session.peer)
        case .announce(let room, let log, let head, let operations):
            note(head, of: log, previous: nil, operations: operations, in: room, at: id)
        case .names(let room, let release, let names):
            guard session.links[room]?.isOpen == true else { break }
            hear(names, of: room, release: release, from: id)
        case .state(let room, let summary): sessions[id]?.links[room]?.peerState = summary
        case .want(let room, let log, _) where session.links[room]?.isOpen != true:
            // Each request is answered, whatever it comes to: the peer asks no other as long. But
            // who shows no room is told nothing.
            guard session.hasShared else { return }
            return send(.end(room, log, isLost: false), to: id)
        default: break
        }

        // Everything else is about a room that the peer is a member of. A link may have closed
        // while the message was under way, so that is no fault.
        guard let room = message.room, session.links[room]?.isOpen == true else { return }
        switch message {
        case .have:
            // A peer tells again where it finds the two unlike, whatever this device finds.
            if let link = sessions[id]?.links[room],
                !link.hasTold || now - link.lastTold >= SyncLimits.repeatAfter
            {
                tell(room, to: id)
            }
            introduce(room, to: id)
            plan(room, with: id)
            tellState(of: room, to: id)
        case .announce(_, let log, _, _): plan(room, with: id, only: log)
        case .want(_, let log, let after):
            guard session.servings.count < SyncLimits.servings else { return close(id, .tooMuch) }
            guard mayHold(session.peer, log, of: room) else {
                return send(.end(room, log, isLost: false), to: id)
            }
            sessions[id]?.append(servingOf: log, in: room, after: after)
            pump(id)
        case .end(_, let log, let isLost):
            guard let ask = session.links[room]?.asked[log] else { return }
            endAsk(log, in: room, at: id)
            // Who was asked for all of a log was named no place that it could not know.
            if isLost, !ask.isWhole, let state = session.links[room]?.peerLogs[log] {
                findAgain(state.heads, of: log, in: room, at: id)
            } else {
                sessions[id]?.links[room]?.lost.remove(log)
                declineRest(of: log, in: room, at: id)
                plan(room, with: id)
                tellState(of: room, to: id)
            }
        case .addresses(_, let map):
            guard let view = rooms[room],
                sessions[id]?.links[room]?.addresses.take(now: now) == true
            else { return }
            let members = map.filter { view.role(of: $0.key) != nil && $0.key != key }
            if !members.isEmpty { actions.append(.learned(members)) }
        default: break
        }
    }

    private mutating func receive(_ batch: Batch, from id: SessionID) {
        guard let session = sessions[id] else { return }
        // A room that is no more here: without an answer it would stay in the peer's window.
        guard let link = session.links[batch.room] else {
            if session.hasShared { return turnAway(batch, from: id) }
            return noteUnproven(batch, from: id)
        }
        if !link.isOpen {
            noteUnproven(batch, from: id)
            guard sessions[id] != nil else { return }
            // A stranger that knows the room may show its grant proof and nothing else.
            guard batch.kind == .control else {
                guard isParted(batch.room, from: session.peer) else {
                    return close(id, .unexpectedMessage)
                }
                return turnAway(batch, from: id)
            }
        } else if link.isControlOnly, batch.kind == .records {
            return turnAway(batch, from: id)
        } else if !link.hasHeard || isFoundingUnasked(batch, link) {
            // It shows its way, or a removal, because it does not count this device as a member:
            // not yet, or not any more. What it told before is no word of today's.
            noteLastStatus(of: id, in: batch.room)
            sessions[id]?.links[batch.room]?.hasHeard = false
            showGrantProof(batch.room, to: id)
        }
        note(
            batch.head, of: batch.log, previous: batch.previous, operations: nil, in: batch.room,
            at: id)
        sessions[id]?.links[batch.room]?.asked[batch.log]?.noteReceived()
        merging[batch.room, default: []].insert(batch.id)
        actions.append(.merge(id, batch.room, batch))
    }

    /// Whether a batch can come to be merged as things are: its peer shares the room, or shows by it
    /// its grant proof.
    package func mayMerge(_ batch: Batch, from id: SessionID) -> Bool {
        guard let link = sessions[id]?.links[batch.room] else { return false }
        return batch.kind == .control || link.isOpen && !link.isControlOnly
    }

    /// Counts what comes from a peer that has not shown yet that it knows the room.
    private mutating func noteUnproven(_ batch: Batch, from id: SessionID) {
        let bytes = (sessions[id]?.unprovenBytes ?? 0) + batch.size
        guard bytes <= SyncLimits.unprovenBytes else { return close(id, .tooMuch) }
        sessions[id]?.unprovenBytes = bytes
    }

    private func isFoundingUnasked(_ batch: Batch, _ link: RoomLink) -> Bool {
        batch.id.digest == batch.room.digest && link.asked[batch.log] == nil
    }

    /// Notes that a peer holds a batch.
    mutating func note(
        _ head: LogHead, of log: LogName, previous: BatchID?, operations: UInt64?,
        in room: RoomID, at id: SessionID
    ) {
        guard let view = rooms[room], let link = sessions[id]?.links[room],
            link.hasRoom(for: log, in: view)
        else { return }
        var state = link.peerLogs[log] ?? LogState(heads: [], operations: 0)
        state.advance(to: head, previous: previous, operations: operations)
        // An acknowledgement counts nothing; where the heads are ours, so is the count.
        if let own = rooms[room]?.logs[log], Set(own.heads) == Set(state.heads) {
            state.operations = max(state.operations, own.operations)
        }
        sessions[id]?.links[room]?.logs[log] = state
    }

    private mutating func take(
        _ list: [Acknowledgement], of room: RoomID, from id: SessionID
    ) {
        guard let session = sessions[id] else { return }
        let isOpen = session.links[room]?.isOpen == true
        for entry in list {
            // Who answers what it was not sent wants to be thought to hold it.
            guard finish(entry, of: id) else { return close(id, .unexpectedMessage) }
            guard isOpen else { continue }
            if entry.isStored {
                note(
                    entry.head, of: entry.log, previous: nil,
                    operations: counted(entry, in: room, at: id), in: room, at: id)
            }
            actions.append(.acknowledged(room, session.peer, entry))
        }
        if !isOpen { noteInformed(list, in: room, of: id) }
        guard sessions[id].map({ $0.unkeptBytes <= SyncLimits.unkeptBytes }) == true else {
            return close(id, .tooMuch)
        }
        for room in session.links.keys.sorted() { goOnShowing(room, to: id) }
        pump(id)
        tellState(of: room, to: id)
    }

    /// How many operations of a log a peer holds once it has stored one batch more, as far as that
    /// is known: no more than this device.
    private func counted(
        _ entry: Acknowledgement, in room: RoomID, at id: SessionID
    ) -> UInt64? {
        guard let state = sessions[id]?.links[room]?.peerLogs[entry.log],
            let own = rooms[room]?.logs[entry.log], entry.head.number > state.number
        else { return nil }
        let more = entry.accepted.addingClamped(entry.waiting).addingClamped(entry.refused)
        return min(state.operations.addingClamped(more), own.operations)
    }

    /// Whether a peer may be sent a log: contributors get control logs and their own, and who was
    /// removed sends nothing.
    func mayHold(_ peer: DeviceKey, _ log: LogName, of room: RoomID) -> Bool {
        guard rooms[room]?.standings[key] != .removed, let role = rooms[room]?.role(of: peer) else {
            return false
        }
        // A contributor relays nothing, though it may hold more from when it was something else.
        guard
            log.kind == .control || log.author == key
                || rooms[room]?.role(of: key)?.readsAll != false
        else { return false }
        return log.kind == .control || role.readsAll || log.author == peer
    }
}

extension WireMessage {
    /// The room that a message is about, where it says so itself.
    fileprivate var room: RoomID? {
        switch self {
        case .have(let room, _, _), .announce(let room, _, _, _), .want(let room, _, _),
            .end(let room, _, _), .acknowledge(let room, _), .state(let room, _),
            .addresses(let room, _), .names(let room, _, _):
            room
        case .batch(let batch): batch.room
        case .hello, .otherHello, .proofs, .ping, .pong, .join: nil
        }
    }
}
