import ShareCrypto
import ShareNet

/// Turns snapshots into lines that say what is new.
struct Report {
    private var last = DiscoverySnapshot()
    private var peers: [DeviceKey: DiscoveredPeer] = [:]

    mutating func lines(for snapshot: DiscoverySnapshot) -> [String] {
        var lines: [String] = []
        if snapshot.state != last.state {
            lines.append(
                "state \(snapshot.state.word)" + (snapshot.state.hint.map { " \($0)" } ?? ""))
        }
        if let name = snapshot.registeredName, name != last.registeredName {
            lines.append("name \(name)")
        }
        if snapshot.ownSeen, !last.ownSeen { lines.append("own seen") }
        var now: [DeviceKey: DiscoveredPeer] = [:]
        for peer in snapshot.peers {
            now[peer.key] = peer
            if peers[peer.key] != peer { lines.append(line(for: peer)) }
        }
        for key in peers.keys.sorted() where now[key] == nil { lines.append("gone \(number(key))") }
        (last, peers) = (snapshot, now)
        return lines
    }

    private func line(for peer: DiscoveredPeer) -> String {
        let rooms = peer.rooms.map { "\($0.name)|\($0.shortID)" }.joined(separator: ",")
        return "peer \(number(peer.key)) port=\(peer.port)"
            + " addresses=\(peer.addresses.joined(separator: ","))"
            + " interfaces=\(peer.interfaces.joined(separator: ",")) rooms=\(rooms)"
            + " name=\(peer.name)"
    }

    private func number(_ key: DeviceKey) -> Int { Int(key.bytes.first ?? 0) }
}
