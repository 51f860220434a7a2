import ShareCore
import ShareCrypto
import Testing

@Suite struct SyncSpreadTests {
    /// So many devices, each with sessions to the eight nearest of a circle.
    func circle(_ count: Int, seed: UInt64) -> SyncSimulator {
        var net = SyncSimulator(nodes: count, seed: seed)
        for node in 0..<count {
            for step in 1...4 { net.connect(node, (node + step) % count) }
        }
        net.run(for: .seconds(5))
        return net
    }

    @Test(arguments: [UInt64](1...3))
    func `a small batch comes to each of many devices a few times at most`(seed: UInt64) {
        let count = 40
        var net = circle(count, seed: seed)
        let before = (frames: net.frames, batches: net.batchFrames)
        net.seal(on: 0)
        net.run(for: .seconds(3))
        #expect(net.areIdentical, "seed \(seed)")
        #expect(net.allKnowIt, "seed \(seed)")
        #expect(net.nodes[0].acknowledged == 8, "seed \(seed)")
        #expect(net.batchFrames - before.batches < count * 2, "seed \(seed)")
        #expect(net.frames - before.frames < count * 18, "seed \(seed)")
    }

    @Test func `a device that hears of a batch from one peer alone asks it at once`() {
        let spokes = 12
        var net = SyncSimulator(nodes: spokes + 1, seed: 5)
        for spoke in 1...spokes { net.connect(0, spoke) }
        net.run(for: .seconds(5))
        let before = net.batchFrames
        net.seal(on: 1)
        net.run(for: .seconds(1))
        #expect(net.areIdentical)
        #expect(net.allKnowIt)
        #expect(net.batchFrames - before == spokes)
    }
}
