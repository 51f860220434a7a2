package import ShareCrypto

/// A peer's word that it holds more of this device's own log than this device.
struct OwnLogClaim: Sendable {
    /// How far it says that the log goes.
    var number: UInt64
    let begun: Duration
    /// When the peer last gave anything, or the log last came further.
    var since: Duration
    /// When the log last came further; before it did, when this was claimed.
    var grown: Duration

    /// When it is not waited for any more.
    var patienceEnds: Duration {
        min(since + SyncLimits.ownLogPatience, grown + SyncLimits.ownLogWait)
    }
}

/// Taking this device's own batches back, after a restore from a backup, before it seals more.
extension SyncEngine {
    /// Why sealing is held in a room.
    package struct Recovery: Sendable, Hashable {
        /// Who holds more of this device's own logs.
        package let peer: DeviceKey
        /// Batches that are still to come.
        package let missing: UInt64
        /// For how long.
        package let time: Duration
    }

    /// What sealing in a room waits for; nil where it may go on.
    package func recovery(of room: RoomID, now: Duration) -> Recovery? {
        var first: (begun: Duration, peer: DeviceKey)?
        var missing: UInt64 = 0
        for (fetch, peers) in claims where fetch.room == room {
            for (peer, claim) in peers where first.map({ (claim.begun, peer) < $0 }) ?? true {
                first = (claim.begun, peer)
            }
            let own = rooms[room]?.logs[fetch.log]?.number ?? 0
            let last = peers.values.map(\.number).max() ?? 0
            missing = missing.addingClamped(last > own ? last - own : 0)
        }
        guard let first else { return nil }
        return Recovery(peer: first.peer, missing: missing, time: max(now - first.begun, .zero))
    }

    /// Takes in how far a peer says that this device's own log goes. To say more later does not
    /// make it wait longer.
    mutating func noteClaim(
        _ number: UInt64, of log: LogName, in room: RoomID, by peer: DeviceKey
    ) {
        guard log.author == key, !isDisbelieved(peer), let view = rooms[room],
            isGiven(log, by: peer, in: view), number > view.logs[log]?.number ?? 0
        else { return }
        let fetch = Fetch(room: room, log: log)
        let known = claims[fetch]?[peer]
        claims[fetch, default: [:]][peer] = OwnLogClaim(
            number: max(number, known?.number ?? 0), begun: known?.begun ?? now,
            since: known?.since ?? now, grown: known?.grown ?? now)
    }

    /// Takes in what has been stored. A peer that gives what others wrote may be at what comes before
    /// this device's own log; what it writes itself it could write at any time.
    mutating func noteProgress(_ outcomes: [MergeOutcome], in room: RoomID, of peer: DeviceKey?) {
        let stored = outcomes.filter { $0.fate == .stored }
        guard !stored.isEmpty else { return }
        let grown = Set(stored.map(\.log).filter { $0.author == key })
        let givesOthers = stored.contains { $0.log.author != peer }
        for (fetch, peers) in claims where fetch.room == room {
            let hasGrown = grown.contains(fetch.log)
            for other in peers.keys where hasGrown || (other == peer && givesOthers) {
                claims[fetch]?[other]?.since = now
                if hasGrown { claims[fetch]?[other]?.grown = now }
            }
        }
        if let peer, !grown.isEmpty { unshown[peer] = nil }
    }

    /// Holds sealing in rooms where more of this device's own log is claimed than is here, as
    /// long as it goes on arriving: whoever claims again and again and does not show is not
    /// believed any more. Once alone is no lie; the cable may have been pulled.
    mutating func holdSealing() {
        for (fetch, peers) in claims {
            let own = rooms[fetch.room]?.logs[fetch.log]?.number ?? 0
            let isGone = rooms[fetch.room] == nil
            for (peer, claim) in peers where own >= claim.number || isGone {
                claims[fetch]?[peer] = nil
            }
            for (peer, claim) in claims[fetch] ?? [:] where now >= claim.patienceEnds {
                claims[fetch]?[peer] = nil
                unshown[peer, default: 0] += 1
            }
            if claims[fetch]?.isEmpty == true { claims[fetch] = nil }
        }
        let held = Set(claims.keys.map(\.room))
        for room in held.symmetricDifference(recovering).sorted() {
            actions.append(.holdSealing(room, held.contains(room)))
        }
        recovering = held
    }

    private func isDisbelieved(_ peer: DeviceKey) -> Bool {
        unshown[peer, default: 0] >= SyncLimits.unshownClaims
    }
}
