import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// What a member may send that costs this device something, and where it ends.
@Suite struct SessionFloodTests {
    @Test func `an acknowledgement of what was not sent ends the session`() {
        var session = HostileSession()
        session.receive(session.acknowledgement(of: session.head(1)))
        #expect(session.end == .unexpectedMessage)
        #expect(session.count { if case .acknowledged = $0 { true } else { false } } == 0)
    }

    @Test func `a batch is acknowledged as often as it was sent, and no more`() {
        var session = HostileSession()
        let batch = TestBatches.puts(
            1, after: TestBatches.founding(by: session.owner), by: session.owner)
        session.have(session.records, session.head(1))
        for _ in 0..<2 {
            session.serve(batch)
        }
        for _ in 0..<2 {
            #expect(session.end == nil)
            session.receive(session.acknowledgement(of: batch.head))
        }
        #expect(session.end == nil)
        session.receive(session.acknowledgement(of: batch.head))
        #expect(session.end == .unexpectedMessage)
    }

    @Test func `a peer that asks again and again and keeps nothing is left`() {
        var session = HostileSession()
        let batch = TestBatches.puts(
            4_096, after: TestBatches.founding(by: session.owner), by: session.owner)
        var sent = 0
        while session.end == nil, sent < 2 * SyncLimits.unkeptBytes {
            session.serve(batch)
            session.receive(session.acknowledgement(of: batch.head, isStored: false))
            session.actions.removeAll { if case .close = $0 { false } else { true } }
            sent += batch.bytes.count
        }
        #expect(session.end == .tooMuch)
        #expect(sent <= SyncLimits.unkeptBytes + 2 * batch.bytes.count)
    }

    @Test(arguments: [MergeOutcome.Fate.dropped, .pastCutoff, .gap, .apart, .failed])
    func `a peer that sends and sends what is not kept is left`(fate: MergeOutcome.Fate) {
        var session = HostileSession()
        let log = LogName(author: session.member.key, kind: .records)
        session.have(log, session.head(1))
        var came = 0
        let size = 1 << 20
        for name in 2...UInt64(200) where session.end == nil {
            let outcome = MergeOutcome(
                log: log, head: session.head(name, name),
                fate: fate, size: size, accepted: 0, waiting: 0, refused: 0)
            session.handle(.merged(session.room, from: session.id, [outcome]))
            came += size
        }
        #expect(session.end == .tooMuch)
        #expect(came == SyncLimits.unkeptBytes + size)
    }

    @Test func `an acknowledgement that names another log or number ends the session`() {
        for change in 0..<2 {
            var session = HostileSession()
            let batch = TestBatches.puts(
                1, after: TestBatches.founding(by: session.owner), by: session.owner)
            session.have(session.records, session.head(1))
            session.serve(batch)
            let log = LogName(
                author: (change == 0 ? session.member : session.owner).key, kind: .records)
            let head = LogHead(
                number: batch.number + (change == 0 ? 0 : 1), batch: batch.id)
            session.receive(session.acknowledgement(of: head, in: log))
            #expect(session.end == .unexpectedMessage)
        }
    }

    @Test func `requests that wait are bounded`() {
        var session = HostileSession()
        session.have(session.records, session.head(1))
        for number in 1...SyncLimits.servings + 1 {
            #expect(session.end == nil, "\(number)")
            session.receive(.want(session.room, session.records, after: []))
        }
        #expect(session.end == .tooMuch)
        // One is looked up at a time.
        #expect(session.count { if case .load = $0 { true } else { false } } == 1)
    }

    @Test func `what was looked up for a request is not sent for a later one`() {
        var session = HostileSession()
        let founding = TestBatches.founding(by: session.owner)
        let first = TestBatches.puts(1, after: founding, by: session.owner)
        let second = TestBatches.puts(2, after: founding, by: session.owner)
        func sent() -> [BatchID] {
            session.actions.compactMap {
                if case .send(_, .batch(let batch)) = $0, batch.kind == .records {
                    batch.id
                } else {
                    nil
                }
            }
        }
        func load(_ batches: [Batch], for number: UInt64) {
            session.handle(
                .loaded(
                    session.id, serving: number,
                    SyncEngine.LoadedBatches(
                        room: session.room, log: session.records, batches: batches, next: nil,
                        isLost: false)))
        }
        session.receive(.want(session.room, session.records, after: [first.head]))
        let earlier = session.lastLoad
        // The room is closed with the member and opened again meanwhile.
        for standing in [RoomView.Standing?.none, .member(.collector)] {
            session.memory.standings[session.member.key] = standing
            session.handle(.room(session.memory.view))
        }
        session.receive(.want(session.room, session.records, after: []))
        load([second], for: earlier)
        #expect(sent().isEmpty)
        #expect(session.lastLoad != earlier)
        load([first, second], for: session.lastLoad)
        #expect(sent() == [first.id, second.id])
    }

    @Test func `proofs and heads are told only so often`() {
        var proofs = HostileSession()
        let values = (0..<SyncLimits.proofs).map { Hash.digest([UInt8($0)]) }
        for _ in 0..<SyncLimits.proofMessages { proofs.receive(.proofs(values)) }
        #expect(proofs.end == nil)
        proofs.receive(.proofs(values))
        #expect(proofs.end == .tooMuch)

        var heads = HostileSession()
        for _ in 0..<SyncLimits.haves { heads.have(heads.records, heads.head(1)) }
        #expect(heads.end == nil)
        heads.now += .seconds(20)
        for _ in 0..<10 { heads.have(heads.records, heads.head(1)) }
        #expect(heads.end == nil)
        for _ in 0..<10 { heads.have(heads.records, heads.head(1)) }
        #expect(heads.end == .tooMuch)
    }

    @Test func `heads that change while they are looked up cause no second look`() {
        var session = HostileSession()
        let log = LogName(author: session.member.key, kind: .records)
        for name in 1...UInt64(10) {
            session.have(log, session.head(1, name), session.head(1, name + 100))
        }
        #expect(session.count { if case .find = $0 { true } else { false } } <= 1)
    }

    @Test func `an end that was not waited for causes no look-up`() {
        var session = HostileSession()
        session.have(session.records, session.head(5))
        let before = session.count { if case .find = $0 { true } else { false } }
        for isLost in [true, false, true] {
            session.receive(
                .end(
                    session.room, LogName(author: session.member.key, kind: .control),
                    isLost: isLost))
        }
        #expect(session.count { if case .find = $0 { true } else { false } } == before)
    }

    @Test func `what is announced and does not come is asked for again after a while only`() {
        var session = HostileSession()
        let log = LogName(author: session.member.key, kind: .records)
        func wants(_ session: HostileSession) -> Int {
            session.count { if case .send(_, .want) = $0 { true } else { false } }
        }
        session.have(log, session.head(7))
        #expect(wants(session) == 1)
        session.receive(.end(session.room, log, isLost: false))
        session.handle(.tick)
        #expect(wants(session) == 1)
        session.now += SyncLimits.repeatAfter
        session.receive(.pong)
        session.handle(.tick)
        #expect(wants(session) == 2)
    }

    @Test func `addresses are taken in only so often`() {
        var session = HostileSession()
        for number in 0..<200 {
            session.receive(.addresses(session.room, [session.member.key: ["10.0.0.1:\(number)"]]))
        }
        #expect(session.end == nil)
        #expect(
            session.count { if case .learned = $0 { true } else { false } }
                == SyncLimits.addressMessages)
    }

    @Test func `names are taken in only so often, and those of strangers not at all`() {
        var session = HostileSession()
        let stranger = TestBatches.identity(9).key
        for number in 0..<200 {
            session.receive(
                .names(session.room, release: "0.\(number)", [stranger: "coordinator"]))
        }
        #expect(session.end == nil)
        #expect(
            session.count { if case .told = $0 { true } else { false } }
                == SyncLimits.addressMessages)
        #expect(
            session.count { if case .told(_, _, let names) = $0 { !names.isEmpty } else { false } }
                == 0)
    }

    @Test(arguments: ["0 1", "0.1\u{1b}[2J", "0.1\u{e4}", String(repeating: "9", count: 33)])
    func `a release that is no word, or too long, ends the session`(release: String) {
        let bytes = WireMessage.names(RoomID(Hash.digest([1])), release: release, [:]).encoded()
        #expect(throws: WireError.self) { try WireMessage(decoding: bytes) }
    }

    @Test func `a state that is claimed again and again is reported once a minute`() {
        var session = HostileSession()
        session.have(LogName(author: session.owner.key, kind: .control), session.head(1))
        guard let view = session.engine.rooms[session.room] else { return }
        for turn in 0..<100 {
            session.now += .milliseconds(700)
            let digest = turn.isMultiple(of: 2) ? Hash.digest([1]) : view.digest
            session.receive(
                .state(session.room, RoomSummary(vector: view.vector, digest: digest)))
        }
        #expect(session.count { if case .notice = $0 { true } else { false } } == 2)
    }

    @Test func `a device of another version is named, and left`() throws {
        var session = HostileSession()
        // Nothing of its hello is known here but the version.
        let bytes: [UInt8] = [0x83, 0x00, 0x07, 0x63, 0x61, 0x62, 0x63]
        guard case .otherHello(7) = try WireMessage(decoding: bytes) else {
            Issue.record("not read as a hello of version 7")
            return
        }
        let id = SessionID(9)
        let other = TestBatches.identity(3).key
        session.handle(
            .opened(
                id, peer: other, isInitiator: false, exporter: Hash.digest([8]).value,
                address: "127.0.0.1:2", network: "127.0.0.1:2"))
        session.handle(.received(id, .otherHello(version: 7)))
        #expect(session.end == .version(7))
        #expect(
            session.count {
                if case .notice(let notice) = $0 {
                    notice == .otherVersion(other, 7)
                } else {
                    false
                }
            } == 1)
    }
}
