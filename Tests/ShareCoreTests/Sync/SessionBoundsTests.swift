import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct SessionBoundsTests {
    @Test func `one key does not fill a device with sessions`() {
        let peer = TestBatches.identity(2).key
        var engine = SyncEngine(
            key: TestBatches.identity(1).key, name: "a", random: SeededRandom(seed: 1))
        for number in 1...40 as ClosedRange<UInt64> {
            let id = SessionID(number)
            let hello = WireMessage.Hello(
                version: 1, name: "b", wall: 1, instance: number,
                proofs: (0..<SyncLimits.proofs).map { Hash.digest([UInt8($0)]) })
            _ = engine.handle(
                .opened(
                    id, peer: peer, isInitiator: false, exporter: Hash.digest([1]).value,
                    address: "127.0.0.1:1", network: "127.0.0.1:1"),
                now: .milliseconds(Int(number)), wall: 1)
            _ = engine.handle(
                .received(id, .hello(hello)), now: .milliseconds(Int(number)), wall: 1)
        }
        #expect(engine.sessions.keys.sorted().map(\.number) == [36, 37, 38, 39, 40])
    }

    @Test func `of many addresses some are told at a time, one's own always, none without news`() {
        var session = HostileSession()
        let own = session.owner.key
        let others = (10..<200).map { TestBatches.identity($0).key }
        var map = [own: ["10.0.0.1:1"], session.member.key: ["10.0.0.2:1"]]
        for other in others { map[other] = ["10.0.0.3:1"] }
        func told() -> [[DeviceKey: [String]]] {
            session.actions.compactMap {
                if case .send(_, .addresses(_, let map)) = $0 { map } else { nil }
            }
        }
        session.handle(.addresses(session.room, map))
        #expect(told().isEmpty, "the room may not be open there yet")
        session.have(session.records, session.head(1))
        session.handle(.addresses(session.room, map))
        #expect(told().count == 1)
        for number in 2...60 {
            session.now += SyncLimits.addressTellingsEvery
            map[own] = ["10.0.0.1:\(number)"]
            session.handle(.addresses(session.room, map))
        }
        #expect(told().count == 60)
        #expect(told().allSatisfy { $0.count == SyncLimits.addressEntries && $0[own] != nil })
        #expect(Set(told().flatMap(\.keys)) == Set(others + [own]))
        for number in 100..<200 {
            map[own] = ["10.0.0.1:\(number)"]
            session.handle(.addresses(session.room, map))
        }
        #expect(told().count <= 60 + SyncLimits.addressTellings)
        session.now += SyncLimits.addressTellingsEvery
        session.receive(.pong)
        session.handle(.tick)
        #expect(told().last?[own] == ["10.0.0.1:199"], "what could not be told follows")
    }

    @Test(arguments: [0, Limits.largestNumber + 1, .max])
    func `a head's number is within its bounds in every message`(number: UInt64) {
        let room = RoomID(Hash.digest([1]))
        let log = LogName(author: TestBatches.identity(1).key, kind: .records)
        let head = LogHead(number: number, batch: BatchID(Hash.digest([2])))
        let messages: [WireMessage] = [
            .have(room, [log: LogState(heads: [head], operations: 1)]),
            .announce(room, log, head, operations: 1),
            .want(room, log, after: [head]),
            .acknowledge(
                room,
                [
                    Acknowledgement(
                        log: log, head: head, isStored: true, accepted: 1, waiting: 0, refused: 0)
                ]),
        ]
        for message in messages {
            #expect(throws: WireError.cbor(.outOfRange)) {
                try WireMessage(decoding: message.encoded())
            }
        }
    }
}
