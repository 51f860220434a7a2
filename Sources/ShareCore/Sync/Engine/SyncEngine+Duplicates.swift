package import ShareCrypto

/// One identity in two processes: a copied data directory that runs beside the original.
extension SyncEngine {
    /// The identities that are seen on two machines, or were a few minutes ago.
    package func duplicateIdentities(now: Duration) -> Set<DeviceKey> {
        Set(
            duplicates.filter { key, duplicate in
                now - duplicate.seen < SyncLimits.duplicateShown || isOnTwo(key)
            }.keys)
    }

    /// Whether two processes with that identity, this one counted, are in sessions now.
    private func isOnTwo(_ peer: DeviceKey) -> Bool {
        var instances: Set<UInt64> = peer == key ? [instance] : []
        for session in sessions.values
        where session.peer == peer && !questioned.contains(session.id) {
            if let hello = session.hello { instances.insert(hello.instance) }
        }
        return instances.count > 1
    }

    /// Asks sessions for a sign of life, as a newer process has shown their key. One that was
    /// cut off by a restart gives none, and is no fault of anybody.
    mutating func question(_ older: [PeerSession]) {
        for session in older {
            questioned.insert(session.id)
            ask(session.id)
        }
    }

    /// Takes in a sign of life.
    mutating func answered(_ id: SessionID) {
        guard questioned.remove(id) != nil, let session = sessions[id] else { return }
        let isDuplicate = sessions.values.contains {
            $0.peer == session.peer && $0.hello != nil
                && $0.hello?.instance != session.hello?.instance
        }
        if isDuplicate { noteDuplicate(session.peer) }
    }

    /// Reports an identity of a common room, or this device's own, that runs on two machines.
    mutating func noteDuplicate(_ peer: DeviceKey) {
        guard peer == key || rooms.values.contains(where: { $0.standings[peer] != nil }) else {
            return
        }
        let reported = duplicates[peer]?.reported
        let isDue = reported.map { now - $0 >= SyncLimits.duplicateMemory } ?? true
        duplicates[peer] = (now, isDue ? now : reported ?? now)
        if isDue { actions.append(.notice(.identityTwice(peer))) }
    }
}
