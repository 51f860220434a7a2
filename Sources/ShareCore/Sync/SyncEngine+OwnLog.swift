package import ShareCrypto

/// A peer's word that it holds more of this device's own log than this device.
struct OwnLogClaim: Sendable {
    var number: UInt64
    var peer: DeviceKey
    let begun: Duration
    /// How far the log was here when it last grew, and when the peer last gave anything.
    var own: UInt64
    var since: Duration
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
        let open = claims.filter { $0.key.room == room }
        guard let first = open.values.min(by: { ($0.begun, $0.peer) < ($1.begun, $1.peer) }) else {
            return nil
        }
        let missing = open.reduce(UInt64(0)) { sum, entry in
            let own = rooms[room]?.logs[entry.key.log]?.number ?? 0
            return sum &+ (entry.value.number > own ? entry.value.number - own : 0)
        }
        return Recovery(peer: first.peer, missing: missing, time: max(now - first.begun, .zero))
    }

    /// Takes in how far a peer says that this device's own log goes.
    mutating func noteClaim(
        _ number: UInt64, of log: LogName, in room: RoomID, by peer: DeviceKey
    ) {
        guard log.author == key, !isDisbelieved(peer), let view = rooms[room] else { return }
        let own = view.logs[log]?.number ?? 0
        let fetch = Fetch(room: room, log: log)
        guard number > max(own, claims[fetch]?.number ?? 0) else { return }
        claims[fetch] = OwnLogClaim(
            number: number, peer: peer, begun: claims[fetch]?.begun ?? now, own: own, since: now)
    }

    /// A peer has given something: it may be at what comes before this device's own log.
    mutating func noteProgress(of peer: DeviceKey, in room: RoomID) {
        for (fetch, claim) in claims where fetch.room == room && claim.peer == peer {
            claims[fetch]?.since = now
        }
    }

    /// Holds sealing in rooms where more of this device's own log is claimed than is here, as
    /// long as it goes on arriving: whoever claims again and again and does not show is not
    /// believed any more. Once alone is no lie; the cable may have been pulled.
    mutating func holdSealing() {
        for (fetch, claim) in claims {
            let own = rooms[fetch.room]?.logs[fetch.log]?.number ?? 0
            if own >= claim.number || rooms[fetch.room] == nil {
                claims[fetch] = nil
            } else if own > claim.own {
                claims[fetch]?.own = own
                claims[fetch]?.since = now
                unshown[claim.peer] = nil
            } else if now - claim.since >= SyncLimits.ownLogPatience {
                claims[fetch] = nil
                unshown[claim.peer, default: 0] += 1
            }
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
