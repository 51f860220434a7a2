package import ShareCrypto

/// Telling how peers stand to this device.
extension SyncEngine {
    /// How a peer stands in a room; nil where the room is not open with it.
    ///
    /// What a peer lacks is counted in operations, from what both say of their logs. Where a log
    /// has forked and the branches have not been exchanged, the counts are the least possible.
    ///
    /// - Parameter isLast: whether it is what is remembered of the peer. Of its own log one that is
    ///   gone, or silent, then lacks nothing: what came another way since it wrote itself.
    /// - Complexity: O(logs of the room).
    package func progress(
        in room: RoomID, with id: SessionID, isLast: Bool = false
    ) -> PeerProgress? {
        guard let view = rooms[room], let session = sessions[id], let link = session.links[room],
            link.isOpen, !link.isControlOnly
        else { return nil }
        guard link.hasHeard else { return PeerProgress(.unheard) }
        if let own = link.own, let theirs = link.peerState {
            if view.isReapplying, own.vector == theirs.vector { return PeerProgress(.comparing) }
            if own.contradicts(theirs) { return PeerProgress(.digestDiffers) }
            if own.isLike(theirs) { return PeerProgress(.identical) }
        }
        let isGone = isLast || silence(of: id, now: now) != nil
        var behind: UInt64 = 0
        var ahead: UInt64 = 0
        for log in Set(view.logs.keys).union(link.peerLogs.keys)
        where isShared(log, with: session.peer, in: view) {
            let own = view.logs[log] ?? LogState(heads: [], operations: 0)
            let theirs = link.peerLogs[log] ?? LogState(heads: [], operations: 0)
            let gap = own.gap(to: theirs, held: link.held)
            if !isGone || log.author != session.peer {
                behind = behind.addingClamped(gap.theyLack)
            }
            ahead = ahead.addingClamped(gap.weLack)
        }
        return PeerProgress(
            behind == 0 && ahead == 0 ? .comparing : .differing, behind: behind, ahead: ahead)
    }

    /// Whether a peer's room is known to come to the same as this device's.
    package func isIdentical(_ room: RoomID, with id: SessionID) -> Bool {
        guard let view = rooms[room], !view.isReapplying, let link = sessions[id]?.links[room],
            link.isOpen, link.hasHeard, let own = link.own, let theirs = link.peerState
        else { return false }
        return own.isLike(theirs)
    }

    /// Whether two devices exchange a log: a contributor is sent nothing but control logs and
    /// what is its own.
    package func isShared(_ log: LogName, with peer: DeviceKey, in view: RoomView) -> Bool {
        if log.kind == .control { return true }
        return [peer, key].allSatisfy { view.role(of: $0)?.readsAll == true || log.author == $0 }
    }

    /// The summary of this device's copy, as it is compared with a peer's.
    func summary(of view: RoomView, for peer: DeviceKey) -> RoomSummary {
        if view.role(of: peer)?.readsAll == true, view.role(of: key)?.readsAll == true {
            return RoomSummary(vector: view.vector, digest: view.digest)
        }
        let logs = view.logs.filter { isShared($0.key, with: peer, in: view) }
        return RoomSummary(vector: RoomView.vector(of: logs), digest: nil)
    }

    /// How a connected peer stands in a room now, as it would be remembered; nil where it has told
    /// nothing.
    package func lastStatus(of id: SessionID, from room: RoomID) -> LastKnownStatus? {
        guard let session = sessions[id], let view = rooms[room],
            let progress = progress(in: room, with: id, isLast: true), progress.state != .unheard
        else { return nil }
        let held = operations(sharedWith: session.peer, in: view)
        let silence = UInt64(max(0, (now - session.lastReceived) / .milliseconds(1)))
        return LastKnownStatus(
            progress: progress, held, pending: session.links[room]?.peerPending,
            at: wall.subtractingClamped(silence))
    }

    /// How long a peer has said nothing that was asked for a sign of life; nil where it answers.
    package func silence(of id: SessionID, now: Duration) -> Duration? {
        guard let session = sessions[id], let asked = session.askedAt,
            now - asked >= SyncLimits.answerTime
        else { return nil }
        return now - session.lastReceived
    }

    /// Remembers how a peer stood whose session ends.
    mutating func noteLastStatus(of id: SessionID) {
        guard let session = sessions[id] else { return }
        for room in session.links.keys { noteLastStatus(of: id, in: room) }
    }

    /// Remembers how a peer stood in a room that is closed with it.
    mutating func noteLastStatus(of id: SessionID, in room: RoomID) {
        guard let peer = sessions[id]?.peer, let status = lastStatus(of: id, from: room) else {
            return
        }
        if departed[room, default: [:]].count >= SyncLimits.departed {
            _ = departed[room]?.popFirst()
        }
        departed[room, default: [:]][peer] = status
    }

    /// How many operations this device has made in a room and not sealed, as members were told.
    package func unsealed(in room: RoomID) -> UInt64 { pending[room] ?? 0 }

    /// How the members of a room stand that were connected since the start and are not now, as far
    /// as is known: what was sealed here since they lack.
    package func lastProgress(in room: RoomID) -> [DeviceKey: PeerProgress] {
        guard let view = rooms[room], let departed = departed[room] else { return [:] }
        // What is shared with one who may hold all is the same for all of these.
        var whole: HeldOperations?
        return departed.reduce(into: [:]) { found, entry in
            let isReader = view.role(of: entry.key)?.readsAll == true
            var held = (isReader ? whole : nil) ?? operations(sharedWith: entry.key, in: view)
            if isReader { whole = held }
            held.theirs = operations(by: entry.key, in: view)
            found[entry.key] = entry.value.progress(held)
        }
    }

    /// Takes in how far logs go in a file that a member has written, and that has been read: it lacks
    /// no more than what is not in there. Of one that was never met nothing else is known, and one
    /// that is connected says itself what it has.
    mutating func take(_ logs: [LogName: LogState], of peer: DeviceKey, in room: RoomID) {
        guard let view = rooms[room], let last = departed[room]?[peer] else { return }
        var behind: UInt64 = 0
        for (log, own) in view.logs
        where log.author != peer && isShared(log, with: peer, in: view) {
            let theirs = logs[log] ?? LogState(heads: [], operations: 0)
            behind = behind.addingClamped(own.gap(to: theirs, held: []).theyLack)
        }
        let held = operations(sharedWith: peer, in: view)
        departed[room]?[peer] = last.reading(behind: behind, held)
    }

    /// When members were met last that are not connected, and how many operations each has not sealed
    /// since then, as far as is known.
    package func lastMeetings(in room: RoomID) -> [DeviceKey: (at: UInt64, pending: UInt64?)] {
        guard let departed = departed[room] else { return [:] }
        return departed.reduce(into: [:]) { found, entry in
            let theirs = rooms[room].map { operations(by: entry.key, in: $0) } ?? 0
            found[entry.key] = (
                entry.value.at, entry.value.pending(HeldOperations(theirs: theirs))
            )
        }
    }

    private func operations(by author: DeviceKey, in view: RoomView) -> UInt64 {
        LogKind.allCases.reduce(0) { sum, kind in
            sum.addingClamped(view.logs[LogName(author: author, kind: kind)]?.operations ?? 0)
        }
    }

    private func operations(sharedWith peer: DeviceKey, in view: RoomView) -> HeldOperations {
        let none = HeldOperations(theirs: operations(by: peer, in: view))
        return view.logs.reduce(into: none) { sum, log in
            guard isShared(log.key, with: peer, in: view) else { return }
            if log.key.author == key {
                sum.own = sum.own.addingClamped(log.value.operations)
            } else {
                sum.others = sum.others.addingClamped(log.value.operations)
            }
        }
    }

    /// Reports where the peers of these sessions have become like this device or unlike it, and
    /// where two states contradict each other.
    mutating func noteProgress(of ids: [SessionID]) {
        for id in ids {
            guard let session = sessions[id] else { continue }
            for (room, link) in session.links where link.isOpen {
                let isIdentical = isIdentical(room, with: id)
                if isIdentical != link.wasIdentical {
                    sessions[id]?.links[room]?.wasIdentical = isIdentical
                    // What acknowledgements and announcements left out of its logs is known now.
                    if isIdentical { takeOwnLogs(of: room, as: id) }
                    actions.append(.progress(id, room, isIdentical: isIdentical))
                }
                noteContradiction(in: room, with: session.peer, link, id)
            }
        }
    }

    private mutating func takeOwnLogs(of room: RoomID, as id: SessionID) {
        guard let view = rooms[room], let session = sessions[id],
            session.links[room]?.peerState?.digest != nil
        else { return }
        sessions[id]?.links[room]?.logs = PeerLogs(view.logs)
    }

    private mutating func noteContradiction(
        in room: RoomID, with peer: DeviceKey, _ link: RoomLink, _ id: SessionID
    ) {
        guard rooms[room]?.isReapplying == false, let own = link.own, let theirs = link.peerState,
            own.contradicts(theirs)
        else {
            if link.wasContradicted { sessions[id]?.links[room]?.wasContradicted = false }
            return
        }
        guard !link.wasContradicted else { return }
        sessions[id]?.links[room]?.wasContradicted = true
        // Whoever claims another state again and again does not fill the log.
        let alarm = Alarm(room: room, peer: peer)
        if let last = alarms[alarm], now - last < SyncLimits.alarmEvery { return }
        alarms = alarms.filter { now - $0.value < SyncLimits.alarmEvery }
        alarms[alarm] = now
        actions.append(.notice(.digestsDiffer(room, peer)))
    }
}

extension UInt64 {
    /// The sum, or the greatest number where it does not fit: peers may say any number.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }

    /// The difference, or 0 where the other is greater.
    func subtractingClamped(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
