import ShareCrypto

/// A peer's word that it holds more of this device's own log than this device.
struct OwnLogClaim: Sendable {
    var number: UInt64
    var peer: DeviceKey
    /// How far the log was here when it last grew, and when that was.
    var own: UInt64
    var since: Duration
}

/// Taking this device's own batches back, after a restore from a backup, before it seals more.
extension SyncEngine {
    /// Takes in how far a peer says that this device's own log goes.
    mutating func noteClaim(
        _ number: UInt64, of log: LogName, in room: RoomID, by peer: DeviceKey
    ) {
        guard log.author == key, !disbelieved.contains(peer), let view = rooms[room] else { return }
        let own = view.logs[log]?.number ?? 0
        let fetch = Fetch(room: room, log: log)
        guard number > max(own, claims[fetch]?.number ?? 0) else { return }
        claims[fetch] = OwnLogClaim(number: number, peer: peer, own: own, since: now)
    }

    /// Holds sealing in rooms where more of this device's own log is claimed than is here, as
    /// long as it goes on arriving: whoever claims and does not show is not believed again.
    mutating func holdSealing() {
        for (fetch, claim) in claims {
            let own = rooms[fetch.room]?.logs[fetch.log]?.number ?? 0
            if own >= claim.number || rooms[fetch.room] == nil {
                claims[fetch] = nil
            } else if own > claim.own {
                claims[fetch]?.own = own
                claims[fetch]?.since = now
            } else if now - claim.since >= SyncLimits.ownLogPatience {
                claims[fetch] = nil
                disbelieved.insert(claim.peer)
            }
        }
        let held = Set(claims.keys.map(\.room))
        for room in held.symmetricDifference(recovering).sorted() {
            actions.append(.holdSealing(room, held.contains(room)))
        }
        recovering = held
    }
}
