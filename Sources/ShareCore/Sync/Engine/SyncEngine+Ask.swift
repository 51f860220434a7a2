import ShareCrypto

/// Getting what a peer has and this device lacks.
extension SyncEngine {
    /// Asks a peer for what it has and this device lacks, as far as nobody else was asked:
    /// control logs first, and records only of authors who are known by then.
    ///
    /// - Parameter only: the one log of which there is news; nil to look at all.
    mutating func plan(_ room: RoomID, with id: SessionID, only log: LogName? = nil) {
        if log == nil { sessions[id]?.links[room]?.logs.sort() }
        guard let view = rooms[room], let session = sessions[id], let link = session.links[room],
            link.isOpen, link.mayAsk
        else { return }
        let lacking = (log.map { [$0] } ?? link.logs.names).filter { log in
            link.logs[log].map { lacks($0, of: log, in: view, link, from: session.peer) } ?? false
        }
        let control = lacking.filter { $0.kind == .control }
        let isControlBusy =
            !control.isEmpty || link.asked.keys.contains { $0.kind == .control }
        let known =
            isControlBusy || link.isControlOnly
            ? control : lacking.filter { view.known.contains($0.author) }
        // This device's own log first: sealing may wait for it.
        for log in known.filter({ $0.author == key }) + known.filter({ $0.author != key }) {
            guard let link = sessions[id]?.links[room], link.mayAsk else { return }
            guard link.asked[log] == nil, link.checking[log] == nil,
                let state = link.peerLogs[log], claim(log, in: room, for: id)
            else { continue }
            let own = view.logs[log]
            if let own, !lacksHeads(state, of: log, in: view, link) {
                // What it has told of is here; it is asked for what it has not told of.
                ask(log, in: room, at: id, after: own.heads)
            } else if let own,
                own.heads.count > 1 || state.heads.count > 1 || state.number <= own.number
            {
                find(state.heads, of: log, in: room, at: id)
            } else {
                ask(log, in: room, at: id, after: own?.heads ?? [])
            }
        }
    }

    private func lacks(
        _ state: LogState, of log: LogName, in view: RoomView, _ link: RoomLink,
        from peer: DeviceKey
    ) -> Bool {
        // Of nearly all logs nothing is lacking, which costs least to find.
        guard
            lacksHeads(state, of: log, in: view, link)
                || lacksUntold(state, of: log, in: view, link)
        else { return false }
        return isGiven(log, by: peer, in: view)
            && (log.kind == .control || view.role(of: key)?.readsAll != false
                || log.author == key)
    }

    /// Whether a peer may be asked for a log. A contributor passes on nothing of others, and the
    /// question alone would tell it how far this device holds them.
    func isGiven(_ log: LogName, by peer: DeviceKey, in view: RoomView) -> Bool {
        log.kind == .control || log.author == peer || view.role(of: peer)?.readsAll != false
    }

    private func lacksHeads(
        _ state: LogState, of log: LogName, in view: RoomView, _ link: RoomLink
    ) -> Bool {
        let own = view.logs[log]?.heads ?? []
        return state.heads.contains {
            !own.contains($0) && !link.held.contains($0.batch)
                && merging[view.room]?.contains($0.batch) != true
                && !link.declined.contains($0.batch)
        }
    }

    /// Whether a peer may have heads of a log that it cannot tell of, as they are too many.
    private func lacksUntold(
        _ state: LogState, of log: LogName, in view: RoomView, _ link: RoomLink
    ) -> Bool {
        guard let all = state.all, all != view.logs[log]?.all else { return false }
        // What both come to is said anew when it changes, this only now and then.
        return link.isUnlike && !link.declined.contains(BatchID(all))
    }

    /// The rest of a log, which a peer said that it has and did not send when asked, is let be for
    /// a while.
    mutating func declineRest(of log: LogName, in room: RoomID, at id: SessionID) {
        guard let view = rooms[room], let session = sessions[id], let link = session.links[room],
            let state = link.peerLogs[log],
            lacks(state, of: log, in: view, link, from: session.peer)
        else {
            sessions[id]?.links[room]?.forgetFruitless(log)
            return
        }
        for head in state.heads { decline(head.batch, in: room, at: id) }
        if let all = state.all { decline(BatchID(all), in: room, at: id) }
        sessions[id]?.links[room]?.noteFruitless(log, now: now)
        // Now it is the turn of others that have it.
        for other in sessions.keys.sorted() where other != id { plan(room, with: other) }
    }

    private mutating func decline(_ batch: BatchID, in room: RoomID, at id: SessionID) {
        sessions[id]?.links[room]?.declined.insert(batch, now: now)
    }

    /// Whether this session is the one to fetch a log: no other is at it, or not any more, and
    /// none that could is before it in turn.
    private mutating func claim(_ log: LogName, in room: RoomID, for id: SessionID) -> Bool {
        guard !isFetched(log, in: room, besides: id), isNext(id, for: log, in: room) else {
            return false
        }
        fetching[Fetch(room: room, log: log)] = id
        return true
    }

    /// Whether another session has been asked for a log and may still bring it; of one that brings
    /// nothing that is noted.
    private mutating func isFetched(
        _ log: LogName, in room: RoomID, besides id: SessionID
    ) -> Bool {
        guard let holder = fetching[Fetch(room: room, log: log)], holder != id,
            let ask = sessions[holder]?.links[room]?.asked[log]
        else { return false }
        if ask.isFruitful(now: now) { return true }
        sessions[holder]?.links[room]?.noteFruitless(log, now: now)
        return false
    }

    /// Whether no other session that would ask for a log now was asked in vain longer ago, or
    /// never: who tells of heads and does not bring them does not keep others from their turn.
    private func isNext(_ id: SessionID, for log: LogName, in room: RoomID) -> Bool {
        guard let view = rooms[room], let own = sessions[id]?.links[room],
            let last = own.lastFruitless(log)
        else { return true }
        return !sessions.values.contains { other in
            guard other.id != id, let link = other.links[room], link.isOpen,
                let state = link.peerLogs[log], link.asked[log] == nil, link.checking[log] == nil,
                link.mayAsk,
                link.lastFruitless(log).map({ $0 < last }) ?? true,
                lacks(state, of: log, in: view, link, from: other.peer)
            else { return false }
            return log.kind == .control || !isControlBusy(other, link, in: view)
        }
    }

    private func isControlBusy(
        _ session: PeerSession, _ link: RoomLink, in view: RoomView
    ) -> Bool {
        link.asked.keys.contains { $0.kind == .control }
            || link.peerLogs.contains {
                $0.key.kind == .control
                    && lacks($0.value, of: $0.key, in: view, link, from: session.peer)
            }
    }

    private mutating func ask(
        _ log: LogName, in room: RoomID, at id: SessionID, after: [LogHead]
    ) {
        sessions[id]?.links[room]?.asked[log] = LogAsk(isWhole: after.isEmpty, now: now)
        send(.want(room, log, after: after), to: id)
    }

    mutating func find(_ heads: [LogHead], of log: LogName, in room: RoomID, at id: SessionID) {
        guard let link = sessions[id]?.links[room], link.checking[log] == nil else { return }
        sessions[id]?.links[room]?.checking[log] = heads
        actions.append(.find(id, room, log, heads))
    }

    /// Asks with more places of a log; if the peer knew none of these either, for all of it.
    mutating func findAgain(
        _ heads: [LogHead], of log: LogName, in room: RoomID, at id: SessionID
    ) {
        if sessions[id]?.links[room]?.lost.insert(log).inserted == true {
            find(heads, of: log, in: room, at: id)
        } else {
            ask(log, in: room, at: id, after: [])
        }
    }

    /// Goes on after a look-up.
    mutating func resolve(
        _ log: LogName, in room: RoomID, of id: SessionID, missing: [LogHead],
        positions: [LogHead]
    ) {
        guard let heads = sessions[id]?.links[room]?.checking.removeValue(forKey: log) else {
            return
        }
        for head in heads where !missing.contains(head) {
            sessions[id]?.links[room]?.held.insert(head.batch)
        }
        trimHeld(in: room, at: id)
        if missing.isEmpty {
            release(log, in: room, by: id)
            plan(room, with: id)
            // Where nothing was missing after all, nothing else may come that asks for it.
            tellState(of: room, to: id)
        } else if isFetched(log, in: room, besides: id) {
            // Whoever was asked during the look-up brings it.
            plan(room, with: id)
            tellState(of: room, to: id)
        } else {
            fetching[Fetch(room: room, log: log)] = id
            ask(log, in: room, at: id, after: positions)
        }
    }

    mutating func endAsk(_ log: LogName, in room: RoomID, at id: SessionID) {
        sessions[id]?.links[room]?.asked[log] = nil
        release(log, in: room, by: id)
    }

    /// Gives up a session's claim to a log; another may have taken it over meanwhile, and keeps it.
    private mutating func release(_ log: LogName, in room: RoomID, by id: SessionID) {
        let fetch = Fetch(room: room, log: log)
        if fetching[fetch] == id { fetching[fetch] = nil }
    }

    /// Acknowledges what has been merged, and asks again where something was missing before it.
    mutating func finish(_ outcomes: [MergeOutcome], in room: RoomID, from id: SessionID?) {
        for outcome in outcomes {
            merging[room]?.remove(outcome.head.batch)
            if let id {
                sessions[id]?.links[room]?.asked[outcome.log]?.noteMerged(outcome, now: now)
            }
        }
        noteProgress(outcomes, in: room)
        // What shows why the two have parted may be long; as long as it is news it goes on.
        if let id, sessions[id]?.partingSince != nil,
            outcomes.contains(where: { $0.fate == .stored })
        {
            sessions[id]?.partingSince = now
        }
        guard let id, let session = sessions[id] else { return }
        acknowledge(outcomes, in: room, to: id)
        guard session.links[room] != nil else { return }
        // What is kept of a device that is no member yet, as far as is known here, is no burden.
        let kept = outcomes.filter(\.isKept)
        let bytes = kept.reduce(0) { $0 + $1.size }
        sessions[id]?.unprovenBytes = max(session.unprovenBytes - bytes, 0)
        for outcome in outcomes {
            if outcome.isKept {
                sessions[id]?.links[room]?.held.insert(outcome.head.batch)
            } else if outcome.fate == .gap,
                rooms[room].map({ isGiven(outcome.log, by: session.peer, in: $0) }) == true,
                sessions[id]?.links[room]?.asked[outcome.log] == nil,
                sessions[id]?.links[room]?.checking[outcome.log] == nil
            {
                find([outcome.head], of: outcome.log, in: room, at: id)
            } else if outcome.fate != .gap {
                decline(outcome.head.batch, in: room, at: id)
            }
        }
        trimHeld(in: room, at: id)
        let unkept = outcomes.filter { !$0.isKept }
        noteTurnedAway(unkept.reduce(0) { $0 + $1.size }, from: id)
    }

    /// Answers for each batch that came, also where it was not kept, or this device has left the
    /// room meanwhile: it has to leave the sender's window.
    private mutating func acknowledge(
        _ outcomes: [MergeOutcome], in room: RoomID, to id: SessionID
    ) {
        let list = outcomes.map { outcome in
            Acknowledgement(
                log: outcome.log, head: outcome.head, storing: outcome.storing,
                accepted: UInt64(outcome.accepted), waiting: UInt64(outcome.waiting),
                refused: UInt64(outcome.refused))
        }
        for start in stride(from: 0, to: list.count, by: SyncLimits.acknowledgements) {
            let part = list[start...].prefix(SyncLimits.acknowledgements)
            send(.acknowledge(room, Array(part)), to: id)
        }
    }

    /// Heads that were looked up, or came from the peer, are remembered only as long as they say
    /// more than this device's own heads do.
    private mutating func trimHeld(in room: RoomID, at id: SessionID) {
        guard let link = sessions[id]?.links[room], link.held.count > 4 * link.peerLogs.count + 64
        else { return }
        let heads = Set(link.peerLogs.values.flatMap { $0.heads.map(\.batch) })
        sessions[id]?.links[room]?.held = link.held.intersection(heads)
    }
}
