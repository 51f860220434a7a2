import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// One identity in two processes.
@Suite struct DuplicateIdentityTests {
    private let own = TestBatches.identity(1).key
    private let peer = TestBatches.identity(2).key

    /// A device in a room with `peer`.
    private func engine() -> SyncEngine {
        var engine = SyncEngine(key: own, name: "a", random: SeededRandom(seed: 1))
        let view = RoomView(
            room: RoomID(Hash.digest([7])), logs: [:],
            standings: [own: .member(.owner), peer: .member(.collector)], known: [],
            vector: Hash.digest([8]), digest: Hash.digest([9]), isReapplying: false)
        _ = engine.handle(.room(view), now: .zero, wall: 1)
        return engine
    }

    /// Lets a process say hello in a session of its own.
    private func greet(
        _ engine: inout SyncEngine, _ number: UInt64, by key: DeviceKey, at now: Duration
    ) -> [SyncEngine.Action] {
        let id = SessionID(number)
        _ = engine.handle(
            .opened(
                id, peer: key, isInitiator: false, exporter: Hash.digest([1]).value,
                address: "127.0.0.1:1", network: "127.0.0.1:1"), now: now, wall: 1)
        let hello = WireMessage.Hello(
            version: 1, name: "b", wall: 1, instance: number,
            proofs: (0..<SyncLimits.proofs).map { Hash.digest([UInt8($0)]) })
        return engine.handle(.received(id, .hello(hello)), now: now, wall: 1)
    }

    private func notices(_ actions: [SyncEngine.Action]) -> [SyncEngine.Notice] {
        actions.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    @Test func `two processes that both answer are reported, once an hour`() {
        var engine = engine()
        #expect(notices(greet(&engine, 1, by: peer, at: .zero)) == [])
        let asked = greet(&engine, 2, by: peer, at: .seconds(1))
        #expect(notices(asked) == [])
        #expect(asked.contains { if case .send(SessionID(1), .ping) = $0 { true } else { false } })
        let answered = engine.handle(.received(SessionID(1), .pong), now: .seconds(2), wall: 1)
        #expect(notices(answered) == [.identityTwice(peer)])
        #expect(engine.duplicateIdentities(now: .seconds(2)) == [peer])
        for number in 3...50 as ClosedRange<UInt64> {
            let now = Duration.seconds(number * 10)
            _ = greet(&engine, number, by: peer, at: now)
            for id in engine.sessions.keys.sorted() {
                let actions = engine.handle(.received(id, .pong), now: now, wall: 1)
                #expect(notices(actions) == [])
            }
        }
        #expect(engine.duplicateIdentities(now: .seconds(4_000)) == [peer])
        _ = greet(&engine, 51, by: peer, at: .seconds(3_700))
        let again = engine.handle(.received(SessionID(50), .pong), now: .seconds(3_700), wall: 1)
        #expect(notices(again) == [.identityTwice(peer)])
        // While both are connected it holds; soon after one has gone it ends.
        #expect(engine.duplicateIdentities(now: .seconds(7_400)) == [peer])
        for id in engine.sessions.keys.sorted().dropLast() {
            _ = engine.handle(.closed(id), now: .seconds(7_400), wall: 1)
        }
        #expect(engine.duplicateIdentities(now: .seconds(7_400)) == [])
    }

    @Test func `a device that was cut off and started again is not taken for two`() {
        var engine = engine()
        _ = greet(&engine, 1, by: peer, at: .zero)
        #expect(notices(greet(&engine, 2, by: peer, at: .seconds(1))) == [])
        // The old connection never says anything more.
        for second in 2...40 {
            let now = Duration.seconds(second)
            _ = engine.handle(.received(SessionID(2), .ping), now: now, wall: 1)
            #expect(notices(engine.handle(.tick, now: now, wall: 1)) == [])
        }
        #expect(engine.sessions[SessionID(1)] == nil)
        #expect(engine.duplicateIdentities(now: .seconds(40)) == [])
    }

    @Test func `this device's own identity in another process is reported at once`() {
        var engine = engine()
        #expect(notices(greet(&engine, 1, by: own, at: .zero)) == [.identityTwice(own)])
        #expect(notices(greet(&engine, 2, by: own, at: .seconds(1))) == [])
        #expect(engine.sessions.count == 2)
    }

    @Test func `strangers are reported to nobody`() {
        var engine = engine()
        let stranger = TestBatches.identity(9).key
        _ = greet(&engine, 1, by: stranger, at: .zero)
        _ = greet(&engine, 2, by: stranger, at: .seconds(1))
        let answered = engine.handle(.received(SessionID(1), .pong), now: .seconds(2), wall: 1)
        #expect(notices(answered) == [])
        #expect(engine.duplicateIdentities(now: .seconds(2)) == [])
    }
}
