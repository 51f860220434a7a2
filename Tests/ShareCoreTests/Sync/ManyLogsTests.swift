import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareCore

/// Rooms with more logs than one message takes.
@Suite struct ManyLogsTests {
    private let own = TestBatches.identity(1)
    private let peer = TestBatches.identity(2)
    private let founding: Batch

    init() { founding = TestBatches.founding(by: own) }

    private func view(_ count: Int, heads: Int) -> RoomView {
        var logs: [LogName: LogState] = [:]
        for number in 0..<count {
            let author = DeviceKey(Hash.digest(Array("\(number)".utf8)).value)
            let state = LogState(
                heads: (0..<heads).map {
                    LogHead(
                        number: Limits.largestNumber - UInt64($0),
                        batch: BatchID(Hash.digest(Array("\(number)".utf8))))
                }, operations: .max)
            logs[LogName(author: author, kind: .records)] = state
        }
        logs[founding.log] = LogState(heads: [founding.head], operations: 1)
        let standings: [DeviceKey: RoomView.Standing] = [
            own.key: .member(.owner), peer.key: .member(.owner),
        ]
        return RoomView(
            room: founding.room, logs: logs, standings: standings,
            known: Set(logs.keys.map(\.author)).union(standings.keys),
            vector: RoomView.vector(of: logs), digest: founding.id.digest, isReapplying: false)
    }

    /// Two devices of which the first holds these logs, and the second knows their authors.
    @Test(arguments: [(1_000, 64), (40_000, 1)])
    func `all logs are told of in time, in messages that the peer takes`(
        count: Int, heads: Int
    ) throws {
        let view = view(count, heads: heads)
        let empty = RoomView(
            room: view.room, logs: [:], standings: view.standings, known: view.known,
            vector: RoomView.vector(of: [:]), digest: view.digest, isReapplying: false)
        var engines = [
            SyncEngine(key: own.key, name: "own", random: SeededRandom(seed: 1)),
            SyncEngine(key: peer.key, name: "peer", random: SeededRandom(seed: 2)),
        ]
        let id = SessionID(1)
        var now = Duration.seconds(1)
        var queue: [(side: Int, event: SyncEngine.Event)] = [(0, .room(view)), (1, .room(empty))]
        for side in 0..<2 {
            queue.append(
                (
                    side,
                    .opened(
                        id, peer: [peer, own][side].key, isInitiator: side == 0,
                        exporter: Hash.digest([1]).value, address: "x", network: "x")
                ))
        }
        var largest = 0
        for _ in 0..<6 {
            while !queue.isEmpty {
                let (side, event) = queue.removeFirst()
                for action in engines[side].handle(event, now: now, wall: 0) {
                    switch action {
                    case .send(_, .want): break
                    case .send(_, let message):
                        let frame = message.encoded()
                        largest = max(largest, frame.count)
                        queue.append((1 - side, .received(id, try WireMessage(decoding: frame))))
                    case .close(_, let reason): Issue.record("\(reason)")
                    default: break
                    }
                }
            }
            // What the second asks for does not come; that is no matter here.
            now += .seconds(5)
            queue = [(0, .tick), (1, .tick)]
        }
        var link = try #require(engines[1].sessions[id]?.links[view.room])
        #expect(link.peerLogs == view.logs)
        #expect(largest <= 2 << 20)
        // They were sorted when they were told of. What each request ends with sorts none again.
        var requests = 0
        while let log = link.asked.keys.min(), requests < 20 {
            requests += 1
            #expect(link.logs.isSorted)
            for action in engines[1].handle(
                .received(id, .end(view.room, log, isLost: false)), now: now, wall: 0)
            {
                if case .close(_, let reason) = action { Issue.record("\(reason)") }
            }
            link = try #require(engines[1].sessions[id]?.links[view.room])
        }
        #expect(requests == 20)
        #expect(link.logs.names == view.logs.keys.sorted())
    }
}
