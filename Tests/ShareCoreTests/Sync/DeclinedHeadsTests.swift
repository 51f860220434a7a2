import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// A member that tells of what it does not send.
@Suite struct DeclinedHeadsTests {
    private func wants(_ session: HostileSession) -> Int {
        session.count { if case .send(_, .want) = $0 { true } else { false } }
    }

    /// Answers each request with its end, and each look-up with nothing, all at one moment.
    ///
    /// - Returns: how many requests there were; it stops where they are too many.
    private func answerAll(
        _ session: inout HostileSession, isLost: Bool, upTo most: Int
    ) -> Int {
        var count = 0
        var position = 0
        while position < session.actions.count, count <= most {
            switch session.actions[position] {
            case .send(let id, .want(let room, let log, _)):
                count += 1
                session.receive(.end(room, log, isLost: isLost), from: id)
            case .find(let id, let room, let log, let heads):
                session.handle(.found(id, room, log, missing: heads, positions: []))
            default: break
            }
            position += 1
        }
        return count
    }

    @Test func `of more heads than are remembered none is asked for again at once`() {
        var session = HostileSession()
        let free = 100
        let log = LogName(author: session.member.key, kind: .records)
        let declined = (1...UInt64(SyncLimits.declined - free)).map { number in
            MergeOutcome(
                log: log, head: session.head(number, number), fate: .pastCutoff, size: 0,
                accepted: 0, waiting: 0, refused: 0)
        }
        session.handle(.merged(session.room, from: session.id, declined))
        var told: [LogName: LogState] = [:]
        for number in 0..<UInt64(3 * free) {
            let author = DeviceKey(Hash.digest(Array("\(number)".utf8)).value)
            told[LogName(author: author, kind: .control)] = LogState(
                heads: [session.head(1, 1 << 32 + number)], operations: 1)
        }
        session.receive(.have(session.room, told))
        let asked = answerAll(&session, isLost: false, upTo: 9 * free)
        #expect((free...free + SyncLimits.asks + 1).contains(asked))
        #expect(session.end == nil)
        // Later all of them have another turn.
        session.actions = []
        session.now += SyncLimits.repeatAfter
        session.receive(.pong)
        session.handle(.tick)
        #expect(wants(session) == SyncLimits.asks)
    }

    @Test func `who knows no place of a log that was asked for as a whole is not asked again`() {
        var session = HostileSession()
        let log = LogName(author: session.member.key, kind: .records)
        session.have(log, session.head(7))
        #expect(answerAll(&session, isLost: true, upTo: 20) <= 3)
    }
}
