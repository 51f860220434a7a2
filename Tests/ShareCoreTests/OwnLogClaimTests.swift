import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// A member's word that it holds more of this device's own log than this device.
@Suite struct OwnLogClaimTests {
    /// For how long sealing was held in all, while `step` is done every two seconds.
    private func held(
        _ session: inout HostileSession, for time: Duration,
        _ step: (inout HostileSession, UInt64) -> Void
    ) -> Duration {
        var held = Duration.zero
        var since: Duration?
        var seen = 0
        var count: UInt64 = 10
        let end = session.now + time
        while session.now < end {
            session.receive(.ping)
            step(&session, count)
            count += 1
            for _ in 0..<4 {
                session.now += .milliseconds(500)
                session.handle(.tick)
                for action in session.actions.dropFirst(seen) {
                    guard case .holdSealing(_, let isHeld) = action else { continue }
                    if isHeld {
                        since = session.now
                    } else if let begun = since {
                        held += session.now - begun
                        since = nil
                    }
                }
                seen = session.actions.count
            }
        }
        return held + (since.map { session.now - $0 } ?? .zero)
    }

    /// Thirty seconds, and what passes between two ticks.
    private let most = SyncLimits.ownLogPatience * 3 + .seconds(3)

    @Test func `whoever claims ever more and shows nothing holds sealing for thirty seconds`() {
        var session = HostileSession()
        let time = held(&session, for: .seconds(200)) { session, number in
            session.have(session.records, session.head(number, number), operations: number)
        }
        #expect(session.end == nil)
        #expect(time >= SyncLimits.ownLogPatience && time <= most, "\(time)")
    }

    @Test func `what this device seals itself is no sign of a claim's truth`() {
        var session = HostileSession()
        var last = TestBatches.puts(
            1, after: TestBatches.founding(by: session.owner), by: session.owner)
        _ = session.memory.merge(last)
        session.handle(.room(session.memory.view))
        let time = held(&session, for: .seconds(200)) { session, number in
            session.have(session.records, session.head(number * 100, number))
            last = Batch.seal(
                room: session.room, kind: .records, number: last.number + 1, previous: last.id,
                clock: .latest, blocks: [], by: session.owner)
            _ = session.memory.merge(last)
            session.handle(.room(session.memory.view))
        }
        #expect(time <= most, "\(time)")
    }

    @Test func `what the claimant writes itself does not make a claim last`() {
        var session = HostileSession()
        let log = LogName(author: session.member.key, kind: .records)
        let time = held(&session, for: .seconds(200)) { session, number in
            session.have(session.records, session.head(number, number))
            session.handle(
                .merged(
                    session.room, from: session.id,
                    [outcome(log, session.head(number), after: session.head(number - 1))]))
        }
        #expect(time <= most, "\(time)")
    }

    @Test func `as long as the log comes sealing is held, and then goes on`() {
        var session = HostileSession()
        session.have(session.records, session.head(90, 90))
        let records = session.records
        let time = held(&session, for: .seconds(200)) { session, number in
            guard number < 100 else { return }
            var logs = session.memory.view.logs
            logs[records] = LogState(heads: [session.head(number - 9, number)], operations: number)
            session.handle(
                .merged(
                    session.room, from: session.id,
                    [outcome(records, session.head(number - 9, number), after: nil)]))
            session.handle(.room(view(logs, session)))
        }
        #expect(time >= .seconds(170) && time <= .seconds(185), "\(time)")
    }

    /// Other logs come before it; but not for ever.
    @Test func `what else a peer gives makes a claim last for a minute at most`() {
        var session = HostileSession()
        let log = LogName(author: TestBatches.identity(9).key, kind: .records)
        session.have(session.records, session.head(1 << 40, 1))
        let time = held(&session, for: .seconds(200)) { session, number in
            session.handle(
                .merged(
                    session.room, from: session.id,
                    [outcome(log, session.head(number), after: session.head(number - 1))]))
        }
        #expect(time >= SyncLimits.ownLogWait - .seconds(1), "\(time)")
        #expect(time <= SyncLimits.ownLogWait + .seconds(1), "\(time)")
    }

    @Test func `however many claim, sealing is held for a minute in an hour`() {
        var session = HostileSession()
        func hold(for time: Duration, _ first: UInt64) -> Duration {
            held(&session, for: time) { session, number in
                let id = SessionID(100 + first + number)
                let identity = TestBatches.identity(UInt8(50 + (first + number) % 200))
                session.admit(identity, as: .collector, id)
                let log = LogState(heads: [session.head(number + 9, number)], operations: 1)
                session.receive(.have(session.room, [session.records: log]), from: id)
            }
        }
        let time = hold(for: .seconds(300), 0)
        #expect(time >= SyncLimits.ownLogWait - .seconds(1), "\(time)")
        #expect(time <= SyncLimits.ownLogWait + .seconds(1), "\(time)")
        session.now += SyncLimits.ownLogForgiven
        let again = hold(for: .seconds(20), 1000)
        #expect(again > .seconds(10) && again <= .seconds(20), "\(again)")
    }

    @Test func `a contributor is not believed, and not asked, about what it passes to nobody`() {
        var session = HostileSession(role: .contributor)
        session.have(session.records, session.head(7))
        let other = LogName(author: TestBatches.identity(9).key, kind: .records)
        session.handle(
            .merged(
                session.room, from: session.id,
                [outcome(other, session.head(8), after: session.head(7), fate: .gap)]))
        #expect(session.count { if case .holdSealing = $0 { true } else { false } } == 0)
        #expect(session.count { if case .find = $0 { true } else { false } } == 0)
        let own = LogName(author: session.member.key, kind: .records)
        session.have(own, session.head(3))
        let wants = session.actions.compactMap { action -> LogName? in
            if case .send(_, .want(_, let log, _)) = action { log } else { nil }
        }
        #expect(wants == [own])
    }

    private func outcome(
        _ log: LogName, _ head: LogHead, after previous: LogHead?,
        fate: MergeOutcome.Fate = .stored
    ) -> MergeOutcome {
        MergeOutcome(
            log: log, head: head, previous: previous?.batch ?? BatchID(.zero), fate: fate,
            size: 100, accepted: 1, waiting: 0, refused: 0)
    }

    private func view(_ logs: [LogName: LogState], _ session: HostileSession) -> RoomView {
        RoomView(
            room: session.room, logs: logs, standings: session.memory.standings,
            known: Set(session.memory.standings.keys), vector: RoomView.vector(of: logs),
            digest: session.memory.view.digest, isSettling: false)
    }
}
