import ShareCore
import ShareCrypto
import ShareNet

/// The news about peers that those who watch have been told, so that only changes are told.
package actor Presence {
    /// Tells of one peer that is behind for longer than a moment.
    private var slow: [PeerInRoom: Task<Void, Never>] = [:]
    private var wasBehind: Set<PeerInRoom> = []
    private var discovery: DiscoveryState?
    private var nearby: Set<DeviceKey> = []

    private struct PeerInRoom: Hashable {
        let room: RoomID
        let peer: DeviceKey
    }

    /// An entry that goes out makes a peer lag for some milliseconds: that is no news.
    private static let moment = Duration.seconds(1)

    /// Takes in whether a peer is identical; `tell` is called with whether it is behind, if that
    /// is to be told.
    func note(
        _ peer: DeviceKey, in room: RoomID, isIdentical: Bool,
        tell: @escaping @Sendable (_ isBehind: Bool) async -> Void
    ) async {
        let place = PeerInRoom(room: room, peer: peer)
        let wasWaiting = slow.removeValue(forKey: place)
        wasWaiting?.cancel()
        if isIdentical {
            let wasBehind = wasBehind.remove(place) != nil
            if wasBehind || wasWaiting == nil { await tell(false) }
            return
        }
        slow[place] = Task {
            try? await Task.sleep(for: Self.moment)
            guard !Task.isCancelled else { return }
            self.isSlow(place)
            await tell(true)
        }
    }

    private func isSlow(_ place: PeerInRoom) {
        slow[place] = nil
        wasBehind.insert(place)
    }

    /// Forgets a peer that is not connected any more.
    func forget(_ peer: DeviceKey) {
        for place in slow.keys where place.peer == peer {
            slow.removeValue(forKey: place)?.cancel()
        }
        wasBehind = wasBehind.filter { $0.peer != peer }
    }

    /// Takes in what discovery sees; returns what has changed.
    func note(
        _ snapshot: DiscoverySnapshot
    ) -> (state: DiscoveryState?, found: [DiscoveredPeer], lost: Set<DeviceKey>) {
        let state = snapshot.state == discovery ? nil : snapshot.state
        discovery = snapshot.state
        let seen = Set(snapshot.peers.map(\.key))
        let found = snapshot.peers.filter { !nearby.contains($0.key) }
        let lost = nearby.subtracting(seen)
        nearby = seen
        return (state, found, lost)
    }
}
