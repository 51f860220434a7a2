import ShareCrypto

/// Telling peers what is held here, and taking in what they tell, in messages of bounded size.
extension SyncEngine {
    /// Tells a peer how far every log goes that it may hold; of very many only the next ones, so
    /// that one telling after another comes to all of them.
    mutating func tell(_ room: RoomID, to id: SessionID) {
        guard let view = rooms[room], let session = sessions[id],
            var link = session.links[room], !link.isControlOnly
        else { return }
        var logs = view.logs.filter { mayHold(session.peer, $0.key, of: room) }
        // What was told and is held no more, or is not for the peer any more, is taken back.
        for log in link.told where logs[log] == nil {
            logs[log] = LogState(heads: [], operations: 0)
        }
        let order = logs.keys.sorted()
        var position = link.toldUpTo.flatMap { last in order.firstIndex { $0 > last } } ?? 0
        var messages = 0
        repeat {
            guard link.tellings.take(now: now) else { break }
            var part: [LogName: LogState] = [:]
            var bytes = 0
            while position < order.count, part.count < SyncLimits.logs {
                let state = logs[order[position]] ?? LogState(heads: [], operations: 0)
                bytes += SyncLimits.haveEntry + state.heads.count * SyncLimits.haveHead
                guard bytes <= SyncLimits.haveBytes else { break }
                part[order[position]] = state
                if state.heads.isEmpty {
                    link.told.remove(order[position])
                } else {
                    link.told.insert(order[position])
                }
                position += 1
            }
            send(.have(room, part, pending: pending[room] ?? 0), to: id)
            messages += 1
        } while position < order.count && messages < SyncLimits.haveMessages
        // Where it was told of late often enough, it is told later.
        guard messages > 0 else { return }
        link.toldUpTo = position < order.count ? order[position - 1] : nil
        link.hasTold = true
        link.lastTold = now
        link.toldPending = pending[room] ?? 0
        link.pendingToldAt = now
        // What the room comes to is told again with it.
        link.lastState = nil
        sessions[id]?.links[room] = link
    }

    /// Tells a peer how many operations this device has made in a room and not sealed, where it was
    /// told of another number, and not of late; of fewer at once, as they have just gone out: who
    /// goes away after that must not be said to have kept them.
    ///
    /// - Parameter atOnce: of more at once as well, as the peer has asked for a sign of life: somebody
    ///   there looks at how this device stands.
    mutating func tellPending(of room: RoomID, to id: SessionID, atOnce: Bool = false) {
        let count = pending[room] ?? 0
        guard var link = sessions[id]?.links[room], link.isPendingDue(count),
            atOnce || link.toldPending.map({ count < $0 }) ?? false
                || now - link.pendingToldAt >= SyncLimits.pendingEvery,
            link.tellings.take(now: now)
        else { return }
        link.toldPending = count
        link.pendingToldAt = now
        sessions[id]?.links[room] = link
        send(.have(room, [:], pending: count), to: id)
    }

    /// Takes in what a peer tells of logs; of those that it does not name it says nothing new.
    mutating func hear(_ logs: [LogName: LogState], of room: RoomID, from id: SessionID) {
        guard let view = rooms[room], var link = sessions[id]?.links[room] else { return }
        link.hasHeard = true
        for (log, state) in logs {
            if state.heads.isEmpty {
                link.logs[log] = nil
            } else if link.hasRoom(for: log, in: view) {
                link.logs[log] = state
            }
        }
        sessions[id]?.links[room] = link
    }
}

extension RoomLink {
    /// Whether a log may be noted that the peer tells of: logs of known authors are as many as this
    /// device has grants for; of others there are no more than `SyncLimits.logs`.
    func hasRoom(for log: LogName, in view: RoomView) -> Bool {
        peerLogs[log] != nil || view.known.contains(log.author)
            || peerLogs.count < SyncLimits.logs + 2 * view.known.count
    }
}
