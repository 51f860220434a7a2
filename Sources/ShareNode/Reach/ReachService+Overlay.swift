package import ShareCore
import ShareCrypto

/// Keeping sessions few.
extension ReachService {
    private static let mixEvery = Duration.seconds(60)

    /// Ends sessions beyond those that a room needs. Called when one has been added.
    package func trim(_ room: RoomID) async {
        let linked = await sync.linkedKeys(in: room)
        guard let overlay = overlay(of: room, connected: Set(linked.keys)) else { return }
        if let spare = overlay.excess(connected: Set(linked.keys), using: &random) {
            await sync.part(from: spare, in: room)
        }
        // Only where not everybody can be talked to is there anything to mix.
        if linked.count >= Overlay.sought, mixer == nil { startMixing() }
    }

    /// Replaces one random dial a minute, so that islands of old acquaintances mix.
    private func startMixing() {
        mixer = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.mixEvery)
                await self.mix()
            }
        }
    }

    private func mix() async {
        for room in members.keys {
            let linked = await sync.linkedKeys(in: room)
            guard let overlay = overlay(of: room, connected: Set(linked.keys)),
                linked.count >= Overlay.sought
            else { continue }
            let neighbours = overlay.neighbours(of: own)
            let dialled = linked.filter { $0.value && !neighbours.contains($0.key) }
            if let key = dialled.keys.randomElement(using: &random) {
                await sync.part(from: key, in: room)
            }
        }
    }

    private func overlay(of room: RoomID, connected: Set<DeviceKey>) -> Overlay? {
        guard let list = members[room], list[own]?.readsAll == true else { return nil }
        let readers = list.keys.filter {
            list[$0]?.readsAll == true
                && (connected.contains($0) || known[$0]?.endpoints.isEmpty == false)
        }
        return Overlay(room: room, key: own, readers: readers)
    }
}
