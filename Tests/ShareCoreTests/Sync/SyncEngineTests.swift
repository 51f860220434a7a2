import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct SyncEngineTests {
    @Test func `two devices come to the same and both know it`() {
        var net = SyncSimulator(nodes: 2, seed: 1)
        for _ in 0..<5 { net.seal(on: 0) }
        net.seal(on: 1, rows: 500)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        #expect(net.areIdentical)
        #expect(net.allKnowIt)
        #expect(net.batchFrames == 6)
    }

    @Test func `a new entry goes out unasked and is acknowledged`() {
        var net = SyncSimulator(nodes: 2, seed: 2)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        let before = net.frames
        net.seal(on: 0)
        net.run(for: .seconds(2))
        #expect(net.areIdentical)
        #expect(net.nodes[0].acknowledged == 1)
        // The batch, its acknowledgement, and what each side's room comes to.
        #expect(net.frames - before <= 6)
    }

    @Test func `what was acknowledged no longer counts as lacking`() throws {
        var net = SyncSimulator(nodes: 2, seed: 2)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        net.seal(on: 0, rows: 50)
        net.run(for: .seconds(2))
        let engine = net.nodes[0].engine
        let room = net.nodes[0].room.room
        let link = try #require(engine.sessions.values.first?.links[room])
        let own = try #require(engine.rooms[room]?.logs)
        #expect(own.values.contains { $0.operations > 0 })
        for (log, state) in own {
            #expect(link.peerLogs[log]?.operations == state.operations)
        }
    }

    @Test func `the body of a batch is of use to who shares its room, and from nobody else`() throws
    {
        var net = SyncSimulator(nodes: 2, seed: 2)
        let batch = TestBatches.puts(
            1, after: TestBatches.founding(by: net.nodes[0].identity), by: net.nodes[0].identity)
        net.connect(0, 1)
        net.run(for: .zero)
        for node in net.nodes {
            let session = try #require(node.engine.sessions.keys.first)
            #expect(!node.engine.mayMerge(batch, from: session))
        }
        net.run(for: .seconds(5))
        let engine = net.nodes[1].engine
        let session = try #require(engine.sessions.keys.first)
        #expect(engine.mayMerge(batch, from: session) == (batch.room == net.nodes[1].room.room))
        #expect(!engine.mayMerge(TestBatches.founding(by: .generate()), from: session))
    }

    @Test func `two devices share through a third without ever meeting`() {
        var net = SyncSimulator(nodes: 3, seed: 3)
        net.connect(0, 1)
        net.connect(1, 2)
        for _ in 0..<3 { net.seal(on: 0) }
        net.run(for: .seconds(5))
        net.seal(on: 2, rows: 900)
        net.run(for: .seconds(5))
        #expect(net.areIdentical)
        #expect(net.allKnowIt)
    }

    @Test func `of crossed dials one stays`() {
        var net = SyncSimulator(nodes: 2, seed: 4)
        net.connect(0, 1)
        net.connect(1, 0)
        net.seal(on: 0)
        net.run(for: .seconds(5))
        #expect(net.nodes.allSatisfy { $0.engine.sessions.count == 1 })
        #expect(net.areIdentical)
    }

    @Test func `both branches of a fork reach everybody`() {
        var net = SyncSimulator(nodes: 3, seed: 5)
        net.seal(on: 0)
        net.connect(0, 1)
        net.run(for: .seconds(3))
        net.cut(0)
        let log = LogName(author: net.nodes[0].identity.key, kind: .records)
        let base = net.nodes[0].room.logs[log]?.heads.first
        net.seal(on: 0)
        net.seal(on: 0)
        // The same identity elsewhere goes on from the same place.
        let copy = net.nodes[0].room
        net.nodes[0].room = net.nodes[1].room
        net.seal(on: 0, rows: 2, forkAt: base)
        net.nodes[2].room = copy
        for node in [0, 2] { net.touch(node) }
        net.connect(0, 1)
        net.connect(1, 2)
        net.run(for: .seconds(60))
        #expect(net.areIdentical)
        #expect(net.nodes[1].room.logs[log]?.heads.count == 2)
    }

    /// Branches of a log that both devices hold, and others that only one of them does, by where
    /// they come in the order of heads.
    @Test(arguments: [(70, 0, 1), (70, 1, 0), (63, 1, 0), (64, 0, 1), (200, 90, 150)])
    func `of more branches than can be told all reach everybody, and they know it`(
        common: Int, first: Int, second: Int
    ) throws {
        var net = SyncSimulator(nodes: 3, seed: 6)
        net.seal(on: 2)
        let log = LogName(author: net.nodes[2].identity.key, kind: .records)
        let base = try #require(net.nodes[2].room.logs[log]?.heads.first)
        for _ in 0..<common { net.seal(on: 2, forkAt: base) }
        let held = net.nodes[2].room
        for (node, count) in [(0, first), (1, second)] {
            net.nodes[2].room = held
            for _ in 0..<count { net.seal(on: 2, forkAt: base) }
            net.nodes[node].room = net.nodes[2].room
            net.touch(node)
        }
        net.connect(0, 1)
        net.run(for: .seconds(30))
        let all = common + first + second
        for node in [0, 1] { #expect(net.nodes[node].room.logs[log]?.heads.count == all) }
        #expect(net.allKnowIt)
        // One device asks the other for the rest once, and not again and again.
        #expect(net.batchFrames <= 2 * all + 2)
    }

    @Test func `after a start a peer that is ahead holds sealing, one that is behind does not`() {
        var net = SyncSimulator(nodes: 2, seed: 7)
        net.seal(on: 0)
        net.connect(0, 1)
        net.run(for: .seconds(3))
        net.cut(0)
        let old = net.nodes[0].room
        net.seal(on: 0)
        net.seal(on: 0)
        net.connect(0, 1)
        net.run(for: .seconds(3))
        #expect(net.nodes[0].holds.isEmpty)
        // Restored from a copy that is older than what the other one has.
        net.cut(1)
        net.restart(0, with: old)
        net.connect(0, 1)
        net.run(for: .seconds(3))
        #expect(net.nodes[0].holds == [true, false])
        #expect(net.areIdentical)
    }

    @Test func `a peer that is cut off while it gives batches back holds sealing for seconds`() {
        var net = SyncSimulator(nodes: 2, seed: 8)
        net.seal(on: 0)
        net.connect(0, 1)
        net.run(for: .seconds(3))
        let old = net.nodes[0].room
        net.seal(on: 0)
        net.run(for: .seconds(3))
        net.cut(0)
        net.restart(0, with: old)
        net.connect(0, 1)
        while net.nodes[0].holds.isEmpty { net.run(for: .milliseconds(1)) }
        net.cut(1)
        #expect(!net.areIdentical)
        net.run(for: SyncLimits.ownLogPatience + .seconds(1))
        #expect(net.nodes[0].holds == [true, false])
        // Later it is fetched like any other log.
        net.connect(0, 1)
        net.run(for: .seconds(3))
        #expect(net.nodes[0].holds == [true, false])
        #expect(net.areIdentical)
    }

    @Test func `a silent connection is over within thirty seconds`() {
        var net = SyncSimulator(nodes: 2, seed: 6)
        net.connect(0, 1)
        net.run(for: .seconds(2))
        net.silence(0)
        net.run(for: .seconds(28))
        #expect(net.nodes.allSatisfy { $0.engine.sessions.isEmpty })
        #expect(net.nodes[0].ended == [.silent])
    }

    @Test(arguments: [UInt64](1...12))
    func `whatever is cut and healed, all end alike`(seed: UInt64) {
        var net = SyncSimulator(nodes: 6, seed: seed)
        var random = SeededRandom(seed: seed &* 31)
        for _ in 0..<40 {
            switch random.next() % 5 {
            case 0, 1:
                let a = Int(random.next() % 6)
                let b = Int(random.next() % 6)
                if a != b { net.connect(a, b) }
            case 2:
                if !net.links.isEmpty { net.cut(Int(random.next() % UInt64(net.links.count))) }
            default:
                net.seal(
                    on: Int(random.next() % 6), rows: random.next() % 4 == 0 ? 800 : 1)
            }
            net.run(for: .milliseconds(Int(random.next() % 400)))
        }
        for node in 1..<6 { net.connect(node - 1, node) }
        net.run(for: .seconds(90))
        #expect(net.areIdentical, "seed \(seed)")
        #expect(net.allKnowIt, "seed \(seed)")
        #expect(net.nodes.allSatisfy { $0.notices.isEmpty }, "seed \(seed)")
    }
}
