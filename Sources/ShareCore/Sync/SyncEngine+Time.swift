import ShareCrypto

/// What happens because time passes.
extension SyncEngine {
    mutating func tick() {
        for id in sessions.keys.sorted() {
            guard let session = sessions[id] else { continue }
            if session.hello == nil {
                if now - session.openedAt >= SyncLimits.helloTime { close(id, .tooSlow) }
                continue
            }
            if !session.isProven, !session.isJoining, now >= end(of: session) {
                close(id, session.partingSince == nil ? .tooSlow : .removed)
                continue
            }
            if now - session.lastReceived >= SyncLimits.deadAfter {
                close(id, .silent)
                continue
            }
            if now - session.lastReceived >= SyncLimits.pingAfter, !session.pinged {
                sessions[id]?.pinged = true
                send(.ping, to: id)
            }
            for room in session.links.keys.sorted() { refresh(room, with: id) }
        }
    }

    /// Until when a peer that shares no room as a member is put up with.
    private func end(of session: PeerSession) -> Duration {
        if let since = session.partingSince { return since + SyncLimits.partingTime }
        return session.openedAt
            + (session.links.isEmpty ? SyncLimits.helloTime : SyncLimits.unprovenTime)
    }

    /// Asks elsewhere for what does not come, and tells the heads again where the two sides
    /// stay unlike although nothing is under way.
    private mutating func refresh(_ room: RoomID, with id: SessionID) {
        guard let link = sessions[id]?.links[room], link.isOpen else { return }
        if !link.declined.isEmpty, now - link.declinedAt >= SyncLimits.repeatAfter {
            sessions[id]?.links[room]?.declined = []
        }
        plan(room, with: id)
        tellState(of: room, to: id)
        let isQuiet =
            link.asked.isEmpty && link.checking.isEmpty
            && sessions[id]?.servings.isEmpty == true
        if let state = link.peerState, state.vector != link.own?.vector, isQuiet,
            now - link.lastTold >= SyncLimits.repeatAfter
        {
            tell(room, to: id)
        }
    }

    func deadline(of session: PeerSession) -> Duration {
        guard session.hello != nil else { return session.openedAt + SyncLimits.helloTime }
        var soonest = session.lastReceived + SyncLimits.deadAfter
        if !session.pinged { soonest = min(soonest, session.lastReceived + SyncLimits.pingAfter) }
        if !session.isProven, !session.isJoining {
            soonest = min(soonest, end(of: session))
        }
        for (room, link) in session.links where link.isOpen {
            if let state = link.peerState, state.vector != link.own?.vector {
                soonest = min(
                    soonest, max(link.lastTold + SyncLimits.repeatAfter, now + .seconds(1)))
            }
            for (log, since) in link.asked where fetching[Fetch(room: room, log: log)] != nil {
                soonest = min(soonest, max(since + SyncLimits.askPatience, now + .seconds(1)))
            }
        }
        return soonest
    }
}
