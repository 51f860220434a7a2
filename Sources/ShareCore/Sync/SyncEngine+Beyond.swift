package import ShareCrypto

/// What lies beyond a cut: owners are told who holds it, and ask for it before they accept it
/// (docs/protocol.md, "Beyond a cut").
extension SyncEngine {
    /// What a peer holds of a cut log beyond what counts, as far as it told.
    package struct HeldBeyond: Sendable {
        package let peer: DeviceKey
        package let log: LogName
        package let state: LogState
    }

    /// What connected peers hold of cut logs beyond what counts, by their own word. Logs that are
    /// not cut here are among them where a peer says so.
    package func heldBeyond(in room: RoomID) -> [HeldBeyond] {
        sessions.values.sorted { $0.id < $1.id }.flatMap { session in
            (session.links[room]?.heldBeyond ?? [:]).sorted { $0.key < $1.key }.map {
                HeldBeyond(peer: session.peer, log: $0.key, state: $0.value)
            }
        }
    }

    /// Whether anything that was asked for beyond a cut is still under way.
    package func isFetchingBeyond(in room: RoomID) -> Bool {
        merging[room]?.isEmpty == false
            || sessions.values.contains { $0.links[room]?.askedBeyond.isEmpty == false }
    }

    func isOwner(_ peer: DeviceKey, of room: RoomID) -> Bool {
        rooms[room]?.role(of: peer) == .owner
    }

    /// Tells an owner what is held here beyond a cut, where that is not what it was told last.
    mutating func tellBeyond(_ room: RoomID, to id: SessionID) {
        guard let view = rooms[room], let session = sessions[id], var link = session.links[room],
            link.isOpen, !link.isControlOnly, isOwner(session.peer, of: room)
        else { return }
        let held = view.beyond.filter { mayHold(session.peer, $0.key, of: room) }
        guard held != link.toldBeyond, link.beyondTellings.take(now: now) else { return }
        link.toldBeyond = held
        sessions[id]?.links[room] = link
        send(.beyond(room, held), to: id)
    }

    /// Asks each peer that told of it for what it holds of these logs. A device that came in by
    /// what does not count any more is no member here, and is asked too: it sends what it came by.
    mutating func fetchBeyond(_ logs: [LogName: [LogHead]], in room: RoomID) {
        for id in sessions.keys.sorted() {
            guard let link = sessions[id]?.links[room] else { continue }
            for (log, after) in logs.sorted(by: { $0.key < $1.key })
            where link.askedBeyond[log] == nil {
                guard let told = link.heldBeyond[log] else { continue }
                sessions[id]?.links[room]?.askedBeyond[log] = BeyondAsk(told)
                sessions[id]?.links[room]?.lost.remove(log)
                send(.wantBeyond(room, log, after: after), to: id)
            }
        }
    }

    mutating func endBeyond(
        _ log: LogName, isLost: Bool, in room: RoomID, at id: SessionID
    ) {
        if isLost, sessions[id]?.links[room]?.lost.insert(log).inserted == true {
            return send(.wantBeyond(room, log, after: []), to: id)
        }
        sessions[id]?.links[room]?.askedBeyond[log] = nil
    }

    /// Notes that a peer holds what was not kept here.
    mutating func noteBeyond(_ outcome: MergeOutcome, in room: RoomID, at id: SessionID) {
        guard let known = sessions[id]?.links[room]?.shownBeyond,
            known[outcome.log] != nil || known.count < SyncLimits.beyondLogs
        else { return }
        var state = known[outcome.log] ?? LogState(heads: [], operations: 0)
        guard state.heads.count < SyncLimits.beyondHeads else { return }
        state.advance(to: outcome.head, previous: outcome.previous, operations: nil)
        sessions[id]?.links[room]?.shownBeyond[outcome.log] = state
    }
}

extension RoomLink {
    /// What the peer holds beyond cuts: a member's word counts, of others only what they have shown.
    fileprivate var heldBeyond: [LogName: LogState] {
        isOpen ? shownBeyond.merging(peerBeyond) { $1 } : shownBeyond
    }
}
