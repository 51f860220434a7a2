import ShareCore
import ShareCrypto
import Testing

/// Telling of what lies beyond a cut, and fetching it (docs/protocol.md, "Beyond a cut").
@Suite struct BeyondCutTests {
    private let lost = TestBatches.identity(3)
    private var log: LogName { LogName(author: lost.key, kind: .records) }

    /// The room with a removed device of which something is held beyond the cut.
    private func view(
        _ session: HostileSession, peer: Role, beyond: [LogName: LogState]
    ) -> RoomView {
        RoomView(
            room: session.room, logs: session.engine.rooms[session.room]?.logs ?? [:],
            beyond: beyond,
            standings: [
                session.owner.key: .member(.owner), session.member.key: .member(peer),
                lost.key: .removed,
            ], known: [session.owner.key, session.member.key, lost.key],
            vector: session.room.digest, digest: session.room.digest, isSettling: false)
    }

    private func told(_ session: HostileSession) -> [[LogName: LogState]] {
        session.actions.compactMap { action in
            if case .send(_, .beyond(_, let logs)) = action { logs } else { nil }
        }
    }

    @Test func `an owner is told what is held beyond a cut, once, and nobody else`() {
        var session = HostileSession()
        let beyond = [log: LogState(heads: [session.head(7)], operations: 3)]
        session.handle(.room(view(session, peer: .editor, beyond: beyond)))
        #expect(told(session).isEmpty)
        for _ in 0..<3 { session.handle(.room(view(session, peer: .owner, beyond: beyond))) }
        #expect(told(session) == [beyond])
        session.handle(.room(view(session, peer: .owner, beyond: [:])))
        #expect(told(session) == [beyond, [:]])
    }

    @Test func `nobody but an owner is sent what lies beyond a cut`() {
        for role in [Role.editor, .owner] {
            var session = HostileSession()
            session.handle(.room(view(session, peer: role, beyond: [:])))
            session.actions = []
            session.receive(.wantBeyond(session.room, log, after: []))
            let loads = session.count {
                if case .load(_, _, _, _, _, _, let beyondCut) = $0 { beyondCut } else { false }
            }
            let ends = session.count { if case .send(_, .end) = $0 { true } else { false } }
            #expect(loads == (role == .owner ? 1 : 0) && ends == (role == .owner ? 0 : 1))
        }
    }

    @Test func `what a peer tells is kept for people, and asked for only where they say so`() {
        var session = HostileSession()
        session.actions = []
        let great = LogHead(number: Limits.largestNumber, batch: session.head(1).batch)
        let lie = [log: LogState(heads: [great], operations: .max)]
        session.receive(.beyond(session.room, lie))
        #expect(session.actions.isEmpty)
        #expect(session.engine.heldBeyond(in: session.room).map(\.state) == [lie[log]])

        session.handle(.fetchBeyond(session.room, [log: []]))
        #expect(
            session.count { if case .send(_, .wantBeyond) = $0 { true } else { false } } == 1)
        #expect(session.engine.isFetchingBeyond(in: session.room))
        session.receive(.end(session.room, log, isLost: true))
        #expect(session.engine.isFetchingBeyond(in: session.room))
        session.receive(.end(session.room, log, isLost: true))
        #expect(!session.engine.isFetchingBeyond(in: session.room))
        #expect(session.end == nil)
    }

    @Test func `no more comes in than was told of when it was asked for`() {
        var session = HostileSession()
        let told = LogState(heads: [session.head(2)], operations: 2)
        session.receive(.beyond(session.room, [log: told]))
        session.handle(.fetchBeyond(session.room, [log: []]))
        session.actions = []
        var previous = BatchID(session.room.digest)
        for number in 1...3 as ClosedRange<UInt64> {
            let batch = Batch.seal(
                room: session.room, kind: .records, number: number, previous: previous,
                clock: Timestamp(milliseconds: 1_700_000_000_000 + number, counter: 0), blocks: [],
                by: lost)
            previous = batch.id
            session.receive(.batch(batch))
        }
        let wanted = session.actions.compactMap { action in
            if case .merge(_, _, _, let beyondCut) = action { beyondCut } else { nil }
        }
        #expect(wanted == [true, true, false])
    }

    @Test func `a flood of it is passed over`() {
        var session = HostileSession()
        for number in 1...UInt64(200) {
            let state = LogState(heads: [session.head(number)], operations: 1)
            session.receive(.beyond(session.room, [log: state]))
        }
        #expect(session.end == nil)
        let heads = session.engine.heldBeyond(in: session.room).map(\.state.heads)
        #expect(heads == [[session.head(16)]])
    }
}
