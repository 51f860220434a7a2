package import ShareCrypto

/// Whom to keep sessions with in one room, so that everybody gets everything although nobody
/// talks to all (docs/protocol.md, "Who talks to whom").
///
/// All who read the whole room stand on a ring, ordered by a hash of room and key. Each keeps
/// sessions with its neighbours on the ring and with some others taken at random.
package struct Overlay: Sendable {
    /// Ring neighbours kept on each side.
    package static let neighbours = 2
    /// Sessions that a device seeks for itself.
    package static let sought = 8
    /// Sessions that a device accepts.
    package static let accepted = 16

    private let positions: [DeviceKey: Digest]
    private let ring: [DeviceKey]
    private let key: DeviceKey

    /// - Parameter readers: Members in reach who may read all records, without this device.
    package init(room: RoomID, key: DeviceKey, readers: some Sequence<DeviceKey>) {
        var positions: [DeviceKey: Digest] = [:]
        for reader in readers where reader != key {
            positions[reader] = Hash.digest(room.bytes + reader.bytes)
        }
        positions[key] = Hash.digest(room.bytes + key.bytes)
        ring = positions.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        self.positions = positions
        self.key = key
    }

    /// The neighbours of a device on the ring, which are never dropped for being too many.
    package func neighbours(of device: DeviceKey) -> Set<DeviceKey> {
        guard let position = ring.firstIndex(of: device) else { return [] }
        var found: Set<DeviceKey> = []
        for step in 1...Overlay.neighbours {
            found.insert(ring[(position + step) % ring.count])
            found.insert(ring[(position + ring.count - step % ring.count) % ring.count])
        }
        found.remove(device)
        return found
    }

    /// Whom to dial now: neighbours without a session, and others at random until enough are
    /// sought.
    package func dials(
        connected: Set<DeviceKey>, using random: inout some RandomNumberGenerator
    ) -> [DeviceKey] {
        let neighbours = neighbours(of: key)
        var wanted = ring.filter { neighbours.contains($0) && !connected.contains($0) }
        var others = ring.filter {
            $0 != key && !neighbours.contains($0) && !connected.contains($0)
        }
        var count = connected.count(where: { positions[$0] != nil }) + wanted.count
        while count < Overlay.sought, !others.isEmpty {
            wanted.append(others.remove(at: Int.random(in: others.indices, using: &random)))
            count += 1
        }
        return wanted
    }

    /// True where a member is dialled at a typed address, neighbour of this device or not: where the
    /// room is small enough for everybody, and else while sessions are sought. A device that all
    /// others name would part from one for each that comes, which came back at once.
    package func wantsTyped(connected: Set<DeviceKey>) -> Bool {
        ring.count <= Overlay.accepted + 1
            || connected.count(where: { positions[$0] != nil }) < Overlay.sought
    }

    /// A session to end because there are too many: at random, but of no ring neighbour of
    /// either side. Nil while there are not too many.
    package func excess(
        connected: Set<DeviceKey>, using random: inout some RandomNumberGenerator
    ) -> DeviceKey? {
        guard connected.count > Overlay.accepted else { return nil }
        let spare = ring.filter {
            connected.contains($0) && !neighbours(of: key).contains($0)
                && !neighbours(of: $0).contains(key)
        }
        return spare.randomElement(using: &random)
    }
}
