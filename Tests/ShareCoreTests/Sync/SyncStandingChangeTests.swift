import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// Two devices that change their minds about each other in the middle of a session.
@Suite struct SyncStandingChangeTests {
    @Test func `a leave that is taken in before the new grant loses nothing of what was told`() {
        var net = told(seed: 1)
        change(1, of: 0, in: &net)
        expectAlike(&net)
    }

    @Test func `a request that is under way when the other one closes the room does not wait`() {
        var net = told(seed: 2)
        change(0, of: 1, in: &net)
        expectAlike(&net)
    }

    /// Two devices of which the second has been told what the first one holds, and no more.
    private func told(seed: UInt64) -> SyncSimulator {
        var net = SyncSimulator(nodes: 2, seed: seed)
        for _ in 0..<30 { net.seal(on: 0, rows: 900) }
        net.connect(0, 1)
        while net.nodes[1].engine.sessions.values.allSatisfy({
            $0.links.values.allSatisfy { $0.peerLogs.isEmpty }
        }) {
            net.run(for: .milliseconds(1))
        }
        return net
    }

    /// Lets a device take the other one for one that has left, and then for a member again.
    private func change(_ node: Int, of other: Int, in net: inout SyncSimulator) {
        let key = net.nodes[other].identity.key
        let member = net.nodes[node].room.standings[key]
        net.nodes[node].room.standings[key] = .left
        net.touch(node)
        net.run(for: .milliseconds(200))
        net.nodes[node].room.standings[key] = member
        net.touch(node)
    }

    private func expectAlike(_ net: inout SyncSimulator) {
        net.run(for: .seconds(30))
        #expect(net.links[0].isUp)
        #expect(net.areIdentical)
        #expect(net.allKnowIt)
    }

    @Test(arguments: [UInt64](1...60))
    func `whatever two take each other for in between, both hear all in the end`(seed: UInt64) {
        var net = SyncSimulator(nodes: 2, seed: seed)
        var random = SeededRandom(seed: seed &* 977)
        let keys = net.nodes.map(\.identity.key)
        let standings: [RoomView.Standing?] = [
            .member(.owner), .member(.contributor), .left, .removed, .member(.collector), nil,
        ]
        for _ in 0..<5 { net.seal(on: Int(random.next() % 2), rows: 400) }
        net.connect(0, 1)
        for _ in 0..<12 {
            net.run(for: .milliseconds(Int(random.next() % 300)))
            let node = Int(random.next() % 2)
            if random.next() % 4 == 0 {
                net.seal(on: node, rows: random.next() % 2 == 0 ? 1 : 500)
            } else {
                let place = Int(random.next() % UInt64(standings.count))
                net.nodes[node].room.standings[keys[Int(random.next() % 2)]] = standings[place]
                net.touch(node)
            }
        }
        for node in 0..<2 {
            net.run(for: .milliseconds(Int(random.next() % 300)))
            for key in keys { net.nodes[node].room.standings[key] = .member(.owner) }
            net.touch(node)
        }
        let hasEnded = !net.links[0].isUp
        // The devices dial again.
        if hasEnded { net.connect(0, 1) }
        net.run(for: .seconds(60))
        #expect(net.links.last?.isUp == true, "seed \(seed)")
        #expect(net.areIdentical, "seed \(seed), ended: \(hasEnded)")
        #expect(net.allKnowIt, "seed \(seed), ended: \(hasEnded)")
    }

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
