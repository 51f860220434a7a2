import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// The places for peers that know a room and are not known as its members.
@Suite struct CrowdedPlacesTests {
    private let own = TestBatches.identity(1)

    /// A device with sessions to peers who all know its room, from one network each, in order.
    private func sessions(from networks: [String]) -> [UInt64] {
        let founding = TestBatches.founding(by: own)
        var memory = MemoryRoom(room: founding.room, standings: [own.key: .member(.owner)])
        _ = memory.merge(founding)
        var engine = SyncEngine(key: own.key, name: "own", random: SeededRandom(seed: 1))
        _ = engine.handle(.room(memory.view), now: .zero, wall: 0)
        for (place, network) in networks.enumerated() {
            let now = Duration.seconds(place + 1)
            let peer = TestBatches.identity(UInt8(place + 10))
            var other = SyncEngine(key: peer.key, name: "x", random: SeededRandom(seed: 2))
            _ = other.handle(.room(memory.view), now: now, wall: 0)
            let id = SessionID(UInt64(place + 1))
            let exporter = Hash.digest([UInt8(place)]).value
            _ = engine.handle(
                .opened(
                    id, peer: peer.key, isInitiator: false, exporter: exporter, address: "x",
                    network: network), now: now, wall: 0)
            let hello = other.handle(
                .opened(
                    id, peer: own.key, isInitiator: true, exporter: exporter, address: "x",
                    network: "own"), now: now, wall: 0)
            for case .send(_, let message) in hello {
                _ = engine.handle(.received(id, message), now: now, wall: 0)
            }
        }
        return engine.sessions.keys.map(\.number).sorted()
    }

    @Test func `whoever has one address keeps nobody else out`() {
        #expect(sessions(from: ["a", "a", "a", "a", "b"]) == [2, 3, 4, 5])
        // And does not come back in another's place.
        #expect(sessions(from: ["a", "a", "a", "a", "b", "a", "a"]) == [2, 3, 4, 5])
        #expect(sessions(from: ["a", "a", "a", "a", "b", "c"]) == [3, 4, 5, 6])
    }

    @Test func `where no address has more than the newcomer's the newcomer goes`() {
        #expect(sessions(from: ["a", "a", "a", "a", "a"]) == [1, 2, 3, 4])
        #expect(sessions(from: ["a", "a", "b", "b", "b"]) == [1, 2, 3, 4])
    }
}
