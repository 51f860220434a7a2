import ShareCore
import ShareCrypto

/// One message of each kind, always the same.
enum WireSamples {
    private static let room = RoomID(Hash.digest([1]))
    private static let log = LogName(author: TestBatches.identity(1).key, kind: .records)
    private static let head = LogHead(number: 7, batch: BatchID(Hash.digest([2])))
    private static let proofs = (0..<SyncLimits.proofs).map { Hash.digest([UInt8($0)]) }

    static let all: [(name: String, message: WireMessage)] = [
        (
            "hello",
            .hello(
                WireMessage.Hello(
                    version: SyncLimits.protocolVersion, name: "ward-1", wall: 1_700_000_000_000,
                    instance: 1 << 60, proofs: proofs))
        ),
        ("have", .have(room, [log: LogState(heads: [head], operations: 300)])),
        (
            "have, of very many branches",
            .have(
                room,
                [log: LogState(heads: [head], all: LogState.digest(of: [head]), operations: 300)])
        ),
        ("announce", .announce(room, log, head, operations: 300)),
        ("want", .want(room, log, after: [head])),
        ("want of everything", .want(room, log, after: [])),
        ("end", .end(room, log, isLost: false)),
        ("end, lost", .end(room, log, isLost: true)),
        (
            "acknowledge",
            .acknowledge(
                room,
                [
                    Acknowledgement(
                        log: log, head: head, isStored: true, accepted: 1, waiting: 300,
                        refused: 70_000)
                ])
        ),
        ("state", .state(room, RoomSummary(vector: Hash.digest([3]), digest: Hash.digest([4])))),
        (
            "state, with a contributor",
            .state(room, RoomSummary(vector: Hash.digest([3]), digest: nil))
        ),
        (
            "addresses",
            .addresses(room, [TestBatches.identity(2).key: ["10.0.0.1:47117", "[fe80::1]:1"]])
        ),
        (
            "names",
            .names(
                room, release: "0.1.0",
                [TestBatches.identity(2).key: "Zo\u{eb}"])
        ),
        ("names, release untold", .names(room, release: "", [:])),
        ("ping", .ping), ("pong", .pong), ("proofs", .proofs(proofs)),
        // The only one whose bytes depend on the release of zstd: no vector.
        (
            "batch",
            .batch(
                TestBatches.puts(
                    2, after: TestBatches.founding(by: TestBatches.identity(1)),
                    by: TestBatches.identity(1)))
        ),
    ]
}
