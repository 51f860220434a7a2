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
