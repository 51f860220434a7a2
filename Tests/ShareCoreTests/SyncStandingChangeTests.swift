import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// What devices exchange whose standing is not what it was.
@Suite struct SyncStandingChangeTests {
    @Test func `the records of all who are known are asked for, with a role or without`() {
        let own = TestBatches.identity(1)
        let founding = TestBatches.founding(by: own)
        let void = TestBatches.identity(3).key
        var net = SyncSimulator(nodes: 2, seed: 3)
        let records = TestBatches.puts(1, after: founding, by: TestBatches.identity(3))
        for node in 0..<2 { net.nodes[node].room.voided = [void] }
        _ = net.nodes[0].room.merge(records)
        for node in 0..<2 { net.touch(node) }
        net.connect(0, 1)
        net.run(for: .seconds(20))
        #expect(net.areIdentical)
        #expect(net.allKnowIt)
    }
}
