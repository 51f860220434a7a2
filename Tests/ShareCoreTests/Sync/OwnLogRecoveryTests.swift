import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// How a device takes its own batches back after a start, before it seals more.
@Suite struct OwnLogRecoveryTests {
    private let patience = SyncLimits.ownLogPatience

    private func pauses(_ session: HostileSession) -> [Bool] {
        session.actions.compactMap { action in
            if case .holdSealing(_, let isHeld) = action { isHeld } else { nil }
        }
    }

    private func isPaused(_ session: HostileSession) -> Bool {
        session.engine.isSealingPaused(in: session.room)
    }

    private func pass(_ time: Duration, _ session: inout HostileSession) {
        session.now += time
        session.handle(.tick)
    }

    @Test func `sealing waits five seconds for a first telling, and no longer`() {
        var session = HostileSession()
        #expect(isPaused(session) && session.engine.awaitsFirstTelling(in: session.room))
        pass(patience - .milliseconds(1), &session)
        #expect(isPaused(session))
        pass(.milliseconds(1), &session)
        #expect(!isPaused(session) && pauses(session).isEmpty)
    }

    @Test func `nobody waits in a room without other members`() {
        let owner = TestBatches.identity(1)
        let founding = TestBatches.founding(by: owner)
        for others in [[], [TestBatches.identity(2).key]] {
            let standings = Dictionary(
                uniqueKeysWithValues: ([owner.key] + others).map {
                    ($0, RoomView.Standing.member(.owner))
                })
            var room = MemoryRoom(room: founding.room, standings: standings)
            _ = room.merge(founding)
            var engine = SyncEngine(key: owner.key, name: "alone", random: SeededRandom(seed: 1))
            _ = engine.handle(.room(room.view), now: .zero, wall: 0)
            #expect(engine.isSealingPaused(in: founding.room) == !others.isEmpty)
            // Without a session it ends as well.
            #expect(engine.nextTick == patience)
            _ = engine.handle(.tick, now: patience, wall: 0)
            #expect(!engine.isSealingPaused(in: founding.room) && engine.nextTick == nil)
        }
    }

    @Test func `a first telling that goes no further ends the wait, and later ones pause nothing`()
    {
        var session = HostileSession()
        let other = LogName(author: session.member.key, kind: .records)
        session.have(other, session.head(3))
        #expect(!isPaused(session))
        session.have(session.records, session.head(9), operations: 9)
        session.receive(
            .announce(session.room, session.records, session.head(10, 10), operations: 10))
        #expect(!isPaused(session) && pauses(session).isEmpty)
        // It is fetched like any other log.
        let wants = session.count {
            if case .send(_, .want(_, session.records, _)) = $0 { true } else { false }
        }
        #expect(wants == 1)
    }

    @Test func `whoever tells of more first and gives nothing holds sealing for five seconds`() {
        var session = HostileSession()
        pass(.seconds(2), &session)
        session.have(session.records, session.head(1 << 40))
        #expect(pauses(session) == [true])
        let recovery = session.engine.recovery(of: session.room, now: session.now + .seconds(1))
        #expect(recovery?.peer == session.member.key && recovery?.missing == 1 << 40)
        #expect(recovery?.time == .seconds(1))
        for number in 1...UInt64(9) {
            // Neither more of it nor other logs make it longer.
            session.have(session.records, session.head(1 << 40 + number, number))
            let log = LogName(author: session.member.key, kind: .records)
            merge(log, session.head(number), &session)
            pass(.milliseconds(500), &session)
        }
        #expect(isPaused(session))
        pass(.milliseconds(500), &session)
        #expect(!isPaused(session) && pauses(session) == [true, false])
        session.have(session.records, session.head(1 << 41))
        #expect(!isPaused(session))
    }

    @Test func `sealing is paused as long as the log comes, and goes on once it is here`() {
        var session = HostileSession()
        session.have(session.records, session.head(20))
        var logs = session.memory.view.logs
        for number in 1...UInt64(20) {
            #expect(isPaused(session))
            pass(patience - .milliseconds(1), &session)
            logs[session.records] = LogState(heads: [session.head(number)], operations: number)
            merge(session.records, session.head(number), &session)
            session.handle(.room(view(logs, session)))
        }
        #expect(!isPaused(session) && pauses(session) == [true, false])
    }

    @Test func `a room that goes while batches are fetched leaves no pause behind`() {
        var session = HostileSession()
        session.have(session.records, session.head(7))
        session.handle(.roomGone(session.room))
        #expect(pauses(session) == [true, false])
    }

    @Test func `own logs are asked for before others of their kind`() {
        var session = HostileSession()
        let founding = session.memory.view.logs
        let other = LogName(author: session.member.key, kind: .records)
        session.receive(
            .have(
                session.room,
                [
                    other: LogState(heads: [session.head(3)], operations: 1),
                    session.records: LogState(heads: [session.head(5)], operations: 1),
                ]))
        let wants = session.actions.compactMap { action -> LogName? in
            if case .send(_, .want(_, let log, _)) = action { log } else { nil }
        }
        #expect(wants == [session.records, other] && founding.count == 1)
    }

    @Test func `a contributor's telling is not the first where another member could tell`() {
        var session = HostileSession(role: .contributor)
        let other = TestBatches.identity(5)
        session.admit(other, as: .collector, SessionID(2))
        session.have(session.records, session.head(7))
        #expect(session.engine.awaitsFirstTelling(in: session.room))
        let state = LogState(heads: [session.head(9)], operations: 1)
        session.receive(.have(session.room, [session.records: state]), from: SessionID(2))
        #expect(pauses(session) == [true])
    }

    @Test func `a contributor is not believed, and not asked, about what it passes to nobody`() {
        var session = HostileSession(role: .contributor)
        session.have(session.records, session.head(7))
        let other = LogName(author: TestBatches.identity(9).key, kind: .records)
        session.handle(
            .merged(session.room, from: session.id, [outcome(other, session.head(8), .gap)]))
        #expect(pauses(session).isEmpty && !isPaused(session))
        #expect(session.count { if case .find = $0 { true } else { false } } == 0)
        let own = LogName(author: session.member.key, kind: .records)
        session.have(own, session.head(3))
        let wants = session.actions.compactMap { action -> LogName? in
            if case .send(_, .want(_, let log, _)) = action { log } else { nil }
        }
        #expect(wants == [own])
    }

    private func merge(_ log: LogName, _ head: LogHead, _ session: inout HostileSession) {
        session.handle(.merged(session.room, from: session.id, [outcome(log, head, .stored)]))
    }

    private func outcome(
        _ log: LogName, _ head: LogHead, _ fate: MergeOutcome.Fate
    ) -> MergeOutcome {
        MergeOutcome(
            log: log, head: head, fate: fate, size: 100, accepted: 1,
            waiting: 0, refused: 0)
    }

    private func view(_ logs: [LogName: LogState], _ session: HostileSession) -> RoomView {
        RoomView(
            room: session.room, logs: logs, standings: session.memory.standings,
            known: Set(session.memory.standings.keys), vector: RoomView.vector(of: logs),
            digest: session.memory.view.digest, isReapplying: false)
    }
}
