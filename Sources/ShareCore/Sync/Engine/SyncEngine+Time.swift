import ShareCrypto

/// The steps that the passing of time calls for.
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
            let silence = now - session.lastReceived
            let isSilent = silence >= SyncLimits.pingAfter - SyncLimits.pingSlack
            if isSilent, !session.isAsked { ask(id) }
            for room in session.links.keys.sorted() { refresh(room, with: id) }
        }
    }

    /// Asks for a sign of life, also where one is waited for: an answer that is on its way tells
    /// nothing of what has been entered there since.
    mutating func ask(_ id: SessionID) {
        guard let session = sessions[id], session.hello != nil else { return }
        sessions[id]?.askedAt = session.askedAt ?? now
        sessions[id]?.pings += 1
        send(.ping, to: id)
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
        if isGrantProofDue(room, with: id) { showGrantProof(room, to: id) }
        guard let link = sessions[id]?.links[room], link.isOpen else { return }
        if !link.declined.isEmpty, now - link.declined.since >= SyncLimits.repeatAfter {
            sessions[id]?.links[room]?.declined.removeAll()
        }
        plan(room, with: id)
        tellPending(of: room, to: id)
        if link.owesAddresses { tellAddresses(of: room, to: id) }
        tellState(of: room, to: id)
        let isQuiet =
            link.asked.isEmpty && link.checking.isEmpty
            && sessions[id]?.servings.isEmpty == true
        if link.isUnlike, isQuiet, now - link.lastTold >= SyncLimits.repeatAfter {
            tell(room, to: id)
            tellState(of: room, to: id)
        }
    }

    private func isGrantProofDue(_ room: RoomID, with id: SessionID) -> Bool {
        guard let session = sessions[id], let due = pathDue(room, in: session) else { return false }
        return now >= due
    }

    /// When the way to this device's grant is to be shown to a peer that does not count this device
    /// as a member, as far as can be told: nil where it does.
    private func pathDue(_ room: RoomID, in session: PeerSession) -> Duration? {
        guard let view = rooms[room], let link = session.links[room], !link.isControlOnly,
            view.standings[key] != .removed
        else { return nil }
        let next = link.grantProofAt.map { $0 + SyncLimits.grantProofEvery }
        if link.isOpen {
            return link.hasHeard
                ? nil : max(link.openedAt + SyncLimits.pathPatience, next ?? .zero)
        }
        return view.standings[session.peer] == nil ? next : nil
    }

    func deadline(of session: PeerSession) -> Duration {
        guard session.hello != nil else { return session.openedAt + SyncLimits.helloTime }
        var soonest = session.lastReceived + SyncLimits.deadAfter
        if !session.isAsked { soonest = min(soonest, session.lastReceived + SyncLimits.pingAfter) }
        if !session.isProven, !session.isJoining {
            soonest = min(soonest, end(of: session))
        }
        for room in session.links.keys {
            if let due = pathDue(room, in: session) { soonest = min(soonest, due) }
        }
        for (room, link) in session.links where link.isOpen {
            if link.isUnlike, !link.isControlOnly {
                soonest = min(
                    soonest, max(link.lastTold + SyncLimits.repeatAfter, now + .seconds(1)))
            }
            if link.isPendingDue(pending[room] ?? 0) {
                soonest = min(
                    soonest,
                    max(link.pendingToldAt + SyncLimits.pendingEvery, now + .seconds(1)))
            }
            if !link.declined.isEmpty {
                soonest = min(
                    soonest, max(link.declined.since + SyncLimits.repeatAfter, now + .seconds(1)))
            }
            for (log, ask) in link.asked where fetching[Fetch(room: room, log: log)] != nil {
                soonest = min(soonest, max(ask.patienceEnds, now + .seconds(1)))
            }
        }
        return soonest
    }
}
