package import ShareCrypto

/// A peer's word that it holds more of this device's own log than this device.
struct OwnLogClaim: Sendable {
    /// How far it says that the log goes.
    var number: UInt64
    let begun: Duration
    /// When the peer last gave anything, or the log last came further.
    var since: Duration

    /// When it is not waited for any more.
    var patienceEnds: Duration { since + SyncLimits.ownLogPatience }
}

/// For how long sealing in a room has been held by all claims together, since this device's own log
/// last came further there. However many members claim, it comes to an end.
struct SealingHold: Sendable {
    /// When the first of these times began.
    let begun: Duration
    /// Since when it is held now; nil while it is not.
    var since: Duration?
    private var before = Duration.zero

    init(begun: Duration) { self.begun = begun }

    /// When nobody is believed any more; nil while it is not held.
    var end: Duration? { since.map { $0 + SyncLimits.ownLogWait - before } }

    func isUsedUp(now: Duration) -> Bool {
        before + (since.map { now - $0 } ?? .zero) >= SyncLimits.ownLogWait
    }

    mutating func rest(now: Duration) {
        if let since { before += now - since }
        since = nil
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
            isGiven(log, by: peer, in: view), number > view.logs[log]?.number ?? 0,
            holds[room]?.isUsedUp(now: now) != true
        else { return }
        let fetch = Fetch(room: room, log: log)
        let known = claims[fetch]?[peer]
        claims[fetch, default: [:]][peer] = OwnLogClaim(
            number: max(number, known?.number ?? 0), begun: known?.begun ?? now,
            since: known?.since ?? now)
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
            }
        }
        guard !grown.isEmpty else { return }
        holds[room] = nil
        if let peer { unshown[peer] = nil }
    }

    /// Holds sealing in rooms where more of this device's own log is claimed than is here, as
    /// long as it goes on arriving: whoever claims again and again and does not show is not
    /// believed any more. Once alone is no lie; the cable may have been pulled.
    mutating func holdSealing() {
        for (fetch, peers) in claims {
            let own = rooms[fetch.room]?.logs[fetch.log]?.number ?? 0
            let isOver =
                rooms[fetch.room] == nil || holds[fetch.room]?.isUsedUp(now: now) == true
            for (peer, claim) in peers {
                if isOver || own >= claim.number {
                    claims[fetch]?[peer] = nil
                } else if now >= claim.patienceEnds {
                    claims[fetch]?[peer] = nil
                    unshown[peer, default: 0] += 1
                }
            }
            if claims[fetch]?.isEmpty == true { claims[fetch] = nil }
        }
        let held = Set(claims.keys.map(\.room))
        for (room, hold) in holds
        where rooms[room] == nil || now - hold.begun >= SyncLimits.ownLogForgiven {
            holds[room] = nil
        }
        for room in held {
            holds[room, default: SealingHold(begun: now)].since = holds[room]?.since ?? now
        }
        for room in recovering.subtracting(held) { holds[room]?.rest(now: now) }
        for room in held.symmetricDifference(recovering).sorted() {
            actions.append(.holdSealing(room, held.contains(room)))
        }
        recovering = held
    }

    private func isDisbelieved(_ peer: DeviceKey) -> Bool {
        unshown[peer, default: 0] >= SyncLimits.unshownClaims
    }
}
