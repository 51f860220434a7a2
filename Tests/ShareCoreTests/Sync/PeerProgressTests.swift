import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// What a device says of its peers.
@Suite struct PeerProgressTests {
    /// How the peer of a node's only session stands.
    private func progress(_ net: SyncSimulator, on node: Int) throws -> PeerProgress {
        let engine = net.nodes[node].engine
        let id = try #require(engine.sessions.keys.first)
        return try #require(engine.progress(in: net.nodes[node].room.room, with: id))
    }

    /// A device that is connected with two others, its room, and the first of the others.
    private func three(seed: UInt64) -> (net: SyncSimulator, room: RoomID, key: DeviceKey) {
        var net = SyncSimulator(nodes: 3, seed: seed)
        net.connect(0, 1)
        net.connect(0, 2)
        net.run(for: .seconds(5))
        return (net, net.nodes[0].room.room, net.nodes[1].identity.key)
    }

    @Test func `a peer lacks what was sealed here, and is identical once it has it`() throws {
        var net = SyncSimulator(nodes: 2, seed: 21)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        #expect(try progress(net, on: 0) == PeerProgress(.identical))
        net.silence(0)
        for _ in 0..<3 { net.seal(on: 0) }
        net.seal(on: 1)
        net.run(for: .seconds(1))
        #expect(try progress(net, on: 0) == PeerProgress(.differing, behind: 3, ahead: 0))
        #expect(try progress(net, on: 1) == PeerProgress(.differing, behind: 1, ahead: 0))
        // Nobody hears anything any more: the sessions end.
        net.run(for: .seconds(40))
        let room = net.nodes[0].room.room
        let key = net.nodes[1].identity.key
        #expect(net.nodes[0].engine.lastProgress(in: room)[key]?.behind == 3)
        // What is made meanwhile it surely lacks as well.
        net.seal(on: 0)
        net.run(for: .seconds(1))
        #expect(net.nodes[0].engine.lastProgress(in: room)[key]?.behind == 4)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        for node in 0..<2 { #expect(try progress(net, on: node) == PeerProgress(.identical)) }
        #expect(net.nodes[0].engine.lastProgress(in: room)[key] == nil)
    }

    @Test func `a member that is away has what it wrote itself, whoever brought it`() throws {
        var (net, room, key) = three(seed: 25)
        func known() -> PeerProgress? { net.nodes[0].engine.lastProgress(in: room)[key] }
        net.cut(0)
        net.run(for: .seconds(1))
        // It goes on elsewhere, and a third one brings what it made.
        net.connect(1, 2)
        for _ in 0..<2 { net.seal(on: 1) }
        net.run(for: .seconds(5))
        #expect(net.nodes[0].room.logs[LogName(author: key, kind: .records)]?.operations == 2)
        #expect(known()?.behind == 0 && known()?.ahead == 0)
        // Nobody has said that it has what the third one wrote.
        for _ in 0..<3 { net.seal(on: 2) }
        net.run(for: .seconds(5))
        #expect(known()?.behind == 3)
        // So it has by its own file; of an older one nothing follows.
        net.tell(.read(room, by: key, net.nodes[1].room.logs), to: 0)
        net.run(for: .seconds(1))
        #expect(known() == PeerProgress(.comparing))
        net.cut(1)
        net.seal(on: 0)
        net.tell(.read(room, by: key, [:]), to: 0)
        net.run(for: .seconds(1))
        #expect(known()?.behind == 1)
    }

    @Test func `what a silent member wrote, and came another way, it does not lack`() throws {
        var (net, room, key) = three(seed: 26)
        // The line to it is dead, which nobody has noticed yet.
        net.silence(0)
        net.connect(1, 2)
        for _ in 0..<2 { net.seal(on: 1) }
        net.run(for: .seconds(5))
        #expect(net.nodes[0].room.logs[LogName(author: key, kind: .records)]?.operations == 2)
        net.run(for: .seconds(40))
        let known = net.nodes[0].engine.lastProgress(in: room)[key]
        #expect(known?.behind == 0 && known?.ahead == 0, "\(String(describing: known))")
    }

    @Test func `who is asked for a sign of life tells how much it has not sent`() throws {
        var net = SyncSimulator(nodes: 2, seed: 24)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        let room = net.nodes[0].room.room
        let id = try #require(net.nodes[0].engine.sessions.keys.first)
        func unsent() -> UInt64? {
            net.nodes[0].engine.sessions[id]?.links[room]?.peerPending
        }
        net.tell(.pending(room, 1), to: 1)
        net.run(for: .milliseconds(500))
        #expect(unsent() == 1)
        // So soon after another one nobody is told of it unasked.
        net.tell(.pending(room, 2), to: 1)
        net.run(for: .milliseconds(500))
        #expect(unsent() == 1)
        net.tell(.ask([id]), to: 0)
        net.run(for: .milliseconds(500))
        #expect(unsent() == 2)
    }

    @Test func `what a member had not sent, and came another way, is sent`() throws {
        var (net, room, key) = three(seed: 27)
        func unsent() -> UInt64? { net.nodes[0].engine.lastMeetings(in: room)[key]?.pending }
        net.tell(.pending(room, 3), to: 1)
        net.run(for: .seconds(5))
        net.cut(0)
        net.run(for: .seconds(1))
        #expect(unsent() == 3)
        net.connect(1, 2)
        for _ in 0..<2 { net.seal(on: 1) }
        net.run(for: .seconds(5))
        #expect(unsent() == 1)
        net.tell(.read(room, by: key, net.nodes[1].room.logs), to: 0)
        net.run(for: .seconds(1))
        #expect(unsent() == 1)
        for _ in 0..<2 { net.seal(on: 1) }
        net.run(for: .seconds(5))
        #expect(unsent() == 0)
    }

    @Test func `a member that has not told what it holds is not heard yet`() throws {
        var net = SyncSimulator(nodes: 2, seed: 22)
        // The other one does not know this device as a member, so it tells nothing.
        net.nodes[1].room.standings[net.nodes[0].identity.key] = nil
        net.touch(1)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        #expect(try progress(net, on: 0) == PeerProgress(.unheard))
        #expect(!net.allKnowIt)
    }

    @Test func `branches of a fork that are not exchanged count on both sides`() throws {
        var net = SyncSimulator(nodes: 2, seed: 23)
        net.connect(0, 1)
        net.seal(on: 0)
        net.run(for: .seconds(5))
        net.silence(0)
        let log = LogName(author: net.nodes[0].identity.key, kind: .records)
        let base = net.nodes[0].room.logs[log]?.heads.first
        let old = net.nodes[0].room
        net.seal(on: 0)
        net.run(for: .seconds(1))
        // The same identity went on elsewhere, with as many batches.
        net.nodes[1].room = old
        net.seal(on: 0, forkAt: base)
        let lines = (net.nodes[0].room.logs[log], net.nodes[1].room.logs[log])
        net.run(for: .seconds(1))
        #expect(lines.0?.heads.count == 2 && lines.1?.heads.count == 1)
        #expect(try progress(net, on: 0).behind == 2)
        net.cut(0)
        net.connect(0, 1)
        net.run(for: .seconds(30))
        #expect(try progress(net, on: 0) == PeerProgress(.identical))
        #expect(net.nodes[1].room.logs[log]?.heads.count == 2)
    }

    @Test func `two heads of one number are a fork, with at least one operation on each side`()
        throws
    {
        var session = HostileSession()
        let control = LogName(author: session.owner.key, kind: .control)
        func told(_ number: UInt64, operations: UInt64) throws -> PeerProgress {
            session.have(control, session.head(number), operations: operations)
            return try #require(session.engine.progress(in: session.room, with: session.id))
        }
        #expect(try told(1, operations: 1) == PeerProgress(.differing, behind: 1, ahead: 1))
        // A longer line is taken for a continuation.
        #expect(try told(8, operations: 20) == PeerProgress(.differing, behind: 0, ahead: 19))
        // Whatever a peer says, nothing overflows.
        #expect(try told(8, operations: .max) == PeerProgress(.differing, ahead: .max - 1))
    }

    @Test(arguments: [1, 2, 3])
    func `a contributor is identical over what it shares, and becomes so again`(seed: UInt64) throws
    {
        var net = SyncSimulator(nodes: 2, seed: seed)
        let phone = net.nodes[1].identity.key
        for node in 0..<2 {
            net.nodes[node].room.standings[phone] = .member(.contributor)
            net.touch(node)
        }
        net.seal(on: 0, rows: 3)
        net.connect(0, 1)
        net.run(for: .seconds(5))
        for node in 0..<2 { #expect(try progress(net, on: node).state == .identical) }
        #expect(net.nodes[1].room.batches.count == 1)
        net.seal(on: 1)
        net.run(for: .seconds(5))
        for node in 0..<2 { #expect(try progress(net, on: node).state == .identical) }
        #expect(!net.areIdentical)
    }

    @Test
    func `another state of the same batches is reported on both devices, once, until it is mended`()
        throws
    {
        var net = SyncSimulator(nodes: 2, seed: 24)
        net.nodes[1].room.fault = Hash.digest([9])
        net.touch(1)
        net.connect(0, 1)
        net.run(for: .seconds(60))
        let room = net.nodes[0].room.room
        for node in 0..<2 {
            #expect(try progress(net, on: node).state == .digestDiffers)
            #expect(
                net.nodes[node].notices
                    == [.digestsDiffer(room, net.nodes[1 - node].identity.key)])
        }
        net.nodes[1].room.fault = nil
        net.touch(1)
        net.run(for: .seconds(5))
        for node in 0..<2 { #expect(try progress(net, on: node).state == .identical) }
    }

    @Test func `nothing is compared while a change of authority is worked through`() throws {
        var net = SyncSimulator(nodes: 2, seed: 25)
        net.nodes[1].room.fault = Hash.digest([9])
        net.nodes[1].room.isReapplying = true
        net.touch(1)
        net.connect(0, 1)
        net.run(for: .seconds(10))
        for node in 0..<2 {
            #expect(net.nodes[node].notices.isEmpty)
            #expect(try progress(net, on: node).state == .comparing)
        }
        net.nodes[1].room.fault = nil
        net.nodes[1].room.isReapplying = false
        net.touch(1)
        net.run(for: .seconds(5))
        #expect(net.allKnowIt)
    }

    @Test func `digests of another level are not compared`() {
        let vector = Hash.digest([1])
        let own = RoomSummary(level: 1, vector: vector, digest: Hash.digest([2]))
        let newer = RoomSummary(level: 2, vector: vector, digest: Hash.digest([3]))
        #expect(own.isLike(newer) && !own.contradicts(newer))
        #expect(own.contradicts(RoomSummary(level: 1, vector: vector, digest: Hash.digest([3]))))
        #expect(!own.isLike(RoomSummary(level: 1, vector: Hash.digest([4]), digest: own.digest)))
    }

    @Test(arguments: [31, 32, 33])
    func `peers that come and go rapidly end up identical, and no session ends for a fault`(
        seed: UInt64
    ) throws {
        var net = SyncSimulator(nodes: 4, seed: seed)
        var random = SeededRandom(seed: seed)
        for round in 0..<120 {
            let node = Int(random.next() % 4)
            let other = (node + 1 + Int(random.next() % 3)) % 4
            net.connect(node, other)
            if round.isMultiple(of: 3) { net.seal(on: node, rows: 1 + Int(random.next() % 400)) }
            net.run(for: .milliseconds(Int(random.next() % 400)))
            net.cut(net.links.count - 1)
        }
        for node in 1..<4 { net.connect(0, node) }
        net.run(for: .seconds(60))
        #expect(net.areIdentical && net.allKnowIt)
        for node in net.nodes {
            #expect(Set(node.ended).isSubset(of: [.replaced]), "\(node.ended)")
            #expect(node.notices.isEmpty)
        }
        for (id, _) in net.nodes[0].engine.sessions {
            let progress = net.nodes[0].engine.progress(in: net.nodes[0].room.room, with: id)
            #expect(progress == PeerProgress(.identical))
        }
    }
}
