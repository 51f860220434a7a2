package import ShareCrypto

/// How this device takes its own batches back in one room after a start, as it may have been
/// restored from a backup (docs/protocol.md, "One's own log first").
enum OwnLogRecovery: Sendable {
    /// No member has told yet how far its logs go. Sealing is paused until `end`; nil: not any more.
    case waiting(end: Duration?)
    /// The first telling went further in this device's own logs than they go here. Sealing is
    /// paused.
    case fetching(Fetching)
    case done

    struct Fetching: Sendable {
        /// The member that told so.
        let peer: DeviceKey
        /// How far it says that each of these logs goes.
        let numbers: [LogName: UInt64]
        let begun: Duration
        /// When a batch of this device's own was stored last.
        var since: Duration

        /// When the batches are not waited for any more.
        var end: Duration { since + SyncLimits.ownLogPatience }
    }

    /// When sealing goes on although nothing comes; nil while it is not paused.
    var end: Duration? {
        switch self {
        case .waiting(let end): end
        case .fetching(let fetching): fetching.end
        case .done: nil
        }
    }
}

extension SyncEngine {
    /// The batches of this device's own that sealing in a room waits for.
    package struct Recovery: Sendable, Hashable {
        /// The member that holds them.
        package let peer: DeviceKey
        /// Batches that are still to come.
        package let missing: UInt64
        /// For how long they have been waited for.
        package let time: Duration
    }

    /// The batches that sealing in a room waits for; nil where it waits for none.
    package func recovery(of room: RoomID, now: Duration) -> Recovery? {
        guard case .fetching(let fetching)? = recoveries[room] else { return nil }
        let missing = fetching.numbers.reduce(into: UInt64(0)) { sum, log in
            let own = rooms[room]?.logs[log.key]?.number ?? 0
            sum = sum.addingClamped(log.value.subtractingClamped(own))
        }
        return Recovery(
            peer: fetching.peer, missing: missing, time: max(now - fetching.begun, .zero))
    }

    /// Whether sealing in a room waits for a member to tell how far its logs go.
    package func awaitsFirstTelling(in room: RoomID) -> Bool {
        guard case .waiting(.some)? = recoveries[room], let view = rooms[room] else { return false }
        return view.standings.keys.contains { $0 != key && view.role(of: $0) != nil }
    }

    /// Whether sealing in a room waits, for a first telling or for batches of this device's own.
    package func isSealingPaused(in room: RoomID) -> Bool {
        if case .fetching? = recoveries[room] { return true }
        return awaitsFirstTelling(in: room)
    }

    /// Takes in the first telling of a member since the room was opened here, and nothing of later
    /// ones: what comes to light later is fetched like any other log.
    mutating func noteFirstTelling(
        _ logs: [LogName: LogState], of room: RoomID, by peer: DeviceKey
    ) {
        guard case .waiting? = recoveries[room], let view = rooms[room],
            knowsOwnLogs(peer, in: view)
        else { return }
        let ahead = logs.filter { log, state in
            log.author == key && isGiven(log, by: peer, in: view)
                && state.number > view.logs[log]?.number ?? 0
        }
        guard !ahead.isEmpty else { return recoveries[room] = .done }
        recoveries[room] = .fetching(
            OwnLogRecovery.Fetching(
                peer: peer, numbers: ahead.mapValues(\.number), begun: now, since: now))
        actions.append(.holdSealing(room, true))
    }

    /// Whether a member can tell how far this device's own logs go: a contributor can only where
    /// nobody else could, as it holds control logs alone.
    private func knowsOwnLogs(_ peer: DeviceKey, in view: RoomView) -> Bool {
        view.role(of: peer)?.readsAll == true
            || !view.standings.keys.contains { $0 != key && view.role(of: $0)?.readsAll == true }
    }

    /// Waits anew for the rest when batches of this device's own have been stored.
    mutating func noteProgress(_ outcomes: [MergeOutcome], in room: RoomID) {
        guard case .fetching(var fetching)? = recoveries[room],
            outcomes.contains(where: { $0.fate == .stored && $0.log.author == key })
        else { return }
        fetching.since = now
        recoveries[room] = .fetching(fetching)
    }

    /// Ends each pause whose batches are here or whose time is up.
    mutating func endPauses() {
        for (room, recovery) in recoveries {
            guard let end = recovery.end else { continue }
            switch recovery {
            case .waiting where now >= end: recoveries[room] = .waiting(end: nil)
            case .fetching(let fetching):
                let logs = rooms[room]?.logs ?? [:]
                let isHeld = fetching.numbers.allSatisfy { logs[$0.key]?.number ?? 0 >= $0.value }
                guard isHeld || now >= end else { continue }
                recoveries[room] = .done
                actions.append(.holdSealing(room, false))
            default: break
            }
        }
    }
}
