import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// What one device's engine does with a peer that was removed, message by message.
@Suite struct SyncRemovalTests {
    private let own = TestBatches.identity(1)
    private let peer = TestBatches.identity(2)
    private let founding: Batch

    init() { founding = TestBatches.founding(by: own) }

    /// An engine with one room, and what it has answered.
    private struct Device {
        var engine: SyncEngine
        var now = Duration.seconds(1)

        mutating func handle(_ event: SyncEngine.Event) -> [SyncEngine.Action] {
            engine.handle(event, now: now, wall: 0)
        }
    }

    private func view(_ standings: [DeviceKey: RoomView.Standing]) -> RoomView {
        RoomView(
            room: founding.room,
            logs: [founding.log: LogState(heads: [founding.head], operations: 1)],
            standings: standings, known: Set(standings.keys), vector: founding.id.digest,
            digest: founding.id.digest,
            isReapplying: false)
    }

    /// A device that knows the room, with open sessions to `peers`.
    private func device(
        _ standings: [DeviceKey: RoomView.Standing], sessions peers: [DeviceIdentity]
    ) -> Device {
        var device = Device(
            engine: SyncEngine(key: own.key, name: "own", random: SeededRandom(seed: 1)))
        _ = device.handle(.room(view(standings)))
        for (place, peer) in peers.enumerated() {
            open(SessionID(UInt64(place + 1)), with: peer, on: &device)
        }
        return device
    }

    @discardableResult
    private func open(
        _ id: SessionID, with peer: DeviceIdentity, instance: UInt64 = 7, on device: inout Device
    ) -> [SyncEngine.Action] {
        let exporter = Hash.digest([UInt8(truncatingIfNeeded: id.number)]).value
        var actions = device.handle(
            .opened(
                id, peer: peer.key, isInitiator: true, exporter: exporter, address: "x",
                network: "x"))
        var bytes = Array("shared room proof 1".utf8)
        bytes += exporter.bytes
        bytes.append(UInt8(ascii: "S"))
        bytes += own.key.bytes
        bytes += peer.key.bytes
        let proof = Hash.digest(bytes, key: founding.room.digest.value)
        let padding = (1..<UInt8(SyncLimits.proofs)).map { Hash.digest([$0]) }
        let hello = WireMessage.Hello(
            version: SyncLimits.protocolVersion, name: "peer", wall: 0, instance: instance,
            proofs: [proof] + padding)
        actions += device.handle(.received(id, .hello(hello)))
        return actions
    }

    private func sent(_ actions: [SyncEngine.Action]) -> [WireMessage] {
        actions.compactMap { if case .send(_, let message) = $0 { message } else { nil } }
    }

    private func tells(_ actions: [SyncEngine.Action]) -> Bool {
        actions.contains { if case .loadRemoval = $0 { true } else { false } }
    }

    private func acknowledgement(of batch: Batch, isStored: Bool = true) -> Acknowledgement {
        Acknowledgement(
            log: batch.log, head: batch.head, isStored: isStored, accepted: 1, waiting: 0,
            refused: 0)
    }

    @Test func `the session stops at once, shows the removal alone, and ends when it is held`() {
        let id = SessionID(1)
        let member = [own.key: RoomView.Standing.member(.owner), peer.key: .member(.collector)]
        var device = device(member, sessions: [peer])
        #expect(device.engine.sessions[id]?.links[founding.room]?.isOpen == true)
        // It asked for a log, and the answer is being looked up when the removal arrives.
        _ = device.handle(.received(id, .want(founding.room, founding.log, after: [])))
        var removed = member
        removed[peer.key] = .removed
        let actions = device.handle(.room(view(removed)))
        #expect(device.engine.sessions[id]?.links[founding.room]?.isOpen == false)
        #expect(
            actions.contains {
                if case .loadRemoval(id, founding.room, of: peer.key) = $0 { true } else { false }
            })
        let loaded = SyncEngine.LoadedBatches(
            room: founding.room, log: founding.log, batches: [founding], next: nil, isLost: false)
        #expect(sent(device.handle(.loaded(id, serving: 1, loaded))).isEmpty)
        for message in [
            WireMessage.want(founding.room, founding.log, after: []), .have(founding.room, [:]),
            .state(
                founding.room,
                RoomSummary(vector: founding.id.digest, digest: founding.id.digest)),
        ] {
            let answers = sent(device.handle(.received(id, message)))
            if case .want = message {
                // A request is answered, with nothing, so that the other one does not wait for it.
                #expect(answers.count == 1)
                #expect(answers.allSatisfy { if case .end = $0 { true } else { false } })
            } else {
                #expect(answers.isEmpty)
            }
        }
        #expect(sent(device.handle(.fresh(founding.room, [founding]))).isEmpty)

        let told = sent(device.handle(.removal(id, founding.room, [founding])))
        #expect(told.count == 1)
        #expect(!device.engine.hasBeenTold(peer.key, of: founding.room))
        _ = device.handle(
            .received(id, .acknowledge(founding.room, [acknowledgement(of: founding)])))
        #expect(device.engine.hasBeenTold(peer.key, of: founding.room))
        #expect(device.engine.sessions.isEmpty)
    }

    @Test func `its records are turned away without ending the session that tells it`() {
        let id = SessionID(1)
        var device = device(
            [own.key: .member(.owner), peer.key: .removed], sessions: [peer])
        let records = TestBatches.puts(1, after: founding, by: peer)
        let answers = sent(device.handle(.received(id, .batch(records))))
        guard case .acknowledge(_, let list)? = answers.first else {
            Issue.record("no answer")
            return
        }
        #expect(list.map(\.isStored) == [false] && list.map(\.head) == [records.head])
        #expect(device.engine.sessions[id] != nil)
        device.now += SyncLimits.partingTime
        let ended = device.handle(.tick)
        #expect(
            ended.contains { if case .close(id, .removed) = $0 { true } else { false } })
    }

    @Test func `it is told once for each start of its process`() {
        var device = device([own.key: .member(.owner), peer.key: .removed], sessions: [])
        #expect(tells(open(SessionID(1), with: peer, on: &device)))
        _ = device.handle(.removal(SessionID(1), founding.room, [founding]))
        _ = device.handle(
            .received(
                SessionID(1), .acknowledge(founding.room, [acknowledgement(of: founding)])))
        #expect(!tells(open(SessionID(2), with: peer, on: &device)))
        _ = device.handle(.closed(SessionID(2)))
        #expect(tells(open(SessionID(3), with: peer, instance: 8, on: &device)))
    }

    /// It may have met nobody else since, and goes on entering what counts nowhere.
    @Test func `a removed device tells another one that was removed, too`() {
        var device = device([own.key: .removed, peer.key: .removed], sessions: [])
        #expect(tells(open(SessionID(1), with: peer, on: &device)))
        let told = sent(device.handle(.removal(SessionID(1), founding.room, [founding])))
        #expect(told.count == 1)
        _ = device.handle(
            .received(
                SessionID(1), .acknowledge(founding.room, [acknowledgement(of: founding)])))
        #expect(device.engine.hasBeenTold(peer.key, of: founding.room))
        #expect(device.engine.sessions.isEmpty)
    }

    @Test func `removed devices do not take the places of newcomers`() {
        let gone = (10..<20).map { TestBatches.identity(UInt8($0)) }
        var standings: [DeviceKey: RoomView.Standing] = [own.key: .member(.owner)]
        for identity in gone { standings[identity.key] = .removed }
        var device = device(standings, sessions: gone)
        open(SessionID(99), with: peer, on: &device)
        #expect(device.engine.sessions[SessionID(99)] != nil)
    }

    @Test func `a device that was removed itself says nothing more, and asks for control logs`() {
        let id = SessionID(1)
        let member = [own.key: RoomView.Standing.member(.collector), peer.key: .member(.owner)]
        var device = device(member, sessions: [peer])
        var removed = member
        removed[own.key] = .removed
        #expect(sent(device.handle(.room(view(removed)))).isEmpty)
        let ask = WireMessage.want(founding.room, founding.log, after: [])
        let answers = sent(device.handle(.received(id, ask)))
        #expect(answers.allSatisfy { if case .end = $0 { true } else { false } })
        #expect(sent(device.handle(.fresh(founding.room, [founding]))).isEmpty)
        // Whoever tells its heads counts this device as a member: a grant may have come.
        let head = LogHead(number: 9, batch: BatchID(Hash.digest([1])))
        var told: [LogName: LogState] = [:]
        for kind in [LogKind.control, .records] {
            told[LogName(author: peer.key, kind: kind)] = LogState(heads: [head], operations: 9)
        }
        let asked = sent(device.handle(.received(id, .have(founding.room, told))))
        guard case .want(_, let log, _)? = asked.first, asked.count == 1 else {
            Issue.record("\(asked.count) messages")
            return
        }
        #expect(log == LogName(author: peer.key, kind: .control))
        let records = TestBatches.puts(1, after: founding, by: peer)
        let turned = device.handle(.received(id, .batch(records)))
        #expect(!turned.contains { if case .merge = $0 { true } else { false } })
        // With its grant all goes on.
        let heard = sent(device.handle(.room(view(member))))
        #expect(heard.contains { if case .have = $0 { true } else { false } })
        #expect(device.engine.sessions[id]?.links[founding.room]?.isControlOnly == false)
    }

    @Test func `who has left a room still answers for what is under way`() {
        var session = HostileSession()
        let log = LogName(author: session.member.key, kind: .records)
        func batch(_ number: UInt64, after previous: BatchID) -> Batch {
            Batch.seal(
                room: session.room, kind: .records, number: number, previous: previous,
                clock: Timestamp(milliseconds: 1_700_000_000_000 + number, counter: 0), blocks: [],
                by: session.member)
        }
        let first = batch(1, after: BatchID(session.room.digest))
        let second = batch(2, after: first.id)
        session.have(log, second.head, operations: 0)
        session.receive(.want(session.room, session.records, after: []))
        session.receive(.batch(first))
        session.actions = []
        session.handle(.roomGone(session.room))
        let ends = session.count { if case .send(_, .end) = $0 { true } else { false } }
        #expect(ends == 1)
        let outcome = MergeOutcome(
            log: log, head: first.head, fate: .failed, size: 0,
            accepted: 0, waiting: 0, refused: 0)
        session.handle(.merged(session.room, from: session.id, [outcome]))
        session.receive(.batch(second))
        session.receive(.want(session.room, session.records, after: []))
        let answered = session.actions.flatMap { action -> [BatchID] in
            guard case .send(_, .acknowledge(_, let list)) = action else { return [] }
            return list.filter { !$0.isStored }.map(\.head.batch)
        }
        #expect(answered == [first.id, second.id])
        #expect(session.count { if case .send(_, .end) = $0 { true } else { false } } == 2)
        #expect(session.end == nil)
    }
}
