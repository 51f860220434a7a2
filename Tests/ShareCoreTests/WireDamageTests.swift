import ShareCore
import ShareCrypto
import Testing

/// Messages that were cut or changed on their way.
@Suite struct WireDamageTests {
    private static let room = RoomID(Hash.digest([1]))
    private static let log = LogName(author: TestBatches.identity(1).key, kind: .records)
    private static let head = LogHead(number: 7, batch: BatchID(Hash.digest([2])))

    private static let messages: [WireMessage] = [
        .hello(
            WireMessage.Hello(
                version: SyncLimits.protocolVersion, name: "ward-1", wall: 1_700_000_000_000,
                instance: 1 << 60, proofs: (0..<16).map { Hash.digest([UInt8($0)]) })),
        .have(room, [log: LogState(heads: [head], operations: 300)]),
        .announce(room, log, head, operations: 300),
        .want(room, log, after: [head]),
        .batch(
            TestBatches.puts(
                2, after: TestBatches.founding(by: TestBatches.identity(1)),
                by: TestBatches.identity(1))),
        .end(room, log, isLost: true),
        .acknowledge(
            room,
            [
                Acknowledgement(
                    log: log, head: head, isStored: true, accepted: 1, waiting: 300, refused: 70_000
                )
            ]),
        .state(room, RoomSummary(vector: Hash.digest([3]), digest: Hash.digest([4]))),
        .state(room, RoomSummary(vector: Hash.digest([3]), digest: nil)),
        .addresses(room, [TestBatches.identity(2).key: ["10.0.0.1:47117", "[fe80::1]:1"]]),
        .ping, .pong, .proofs((0..<16).map { Hash.digest([UInt8($0)]) }),
    ]

    @Test(arguments: messages.indices)
    func `a message is what it was, to the byte, after reading`(index: Int) throws {
        let bytes = Self.messages[index].encoded()
        #expect(try WireMessage(decoding: bytes).encoded() == bytes)
    }

    @Test(arguments: messages.indices)
    func `a message cut anywhere, or with a byte too many, is none`(index: Int) {
        let bytes = Self.messages[index].encoded()
        for count in bytes.indices {
            #expect(throws: WireError.self) { try WireMessage(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: WireError.self) { try WireMessage(decoding: bytes + [0]) }
    }

    @Test(arguments: messages.indices)
    func `a message with a changed bit is another one or none`(index: Int) {
        let bytes = Self.messages[index].encoded()
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                guard let read = try? WireMessage(decoding: changed) else { continue }
                // Of another version nothing but the version is read.
                if case .otherHello = read { continue }
                #expect(read.encoded() == changed, "bit \(bit) of byte \(place)")
            }
        }
    }
}
