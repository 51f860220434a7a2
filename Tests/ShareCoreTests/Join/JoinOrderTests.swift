import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// Messages and events that come when they should not.
@Suite struct JoinOrderTests {
    let joiner = TestBatches.identity(2)
    let channel: JoinChannel
    let code: JoinCode
    let offer: JoinOffer
    let request = "commitGrant"

    init() throws {
        let inviter = TestBatches.identity(1)
        let founding = TestBatches.founding(by: inviter)
        channel = try JoinChannel(
            exporter: JoinPlay.exporter, joiner: joiner.key, inviter: inviter.key)
        code = try JoinCode(typed: "K7QX93MP")
        let invite = Invite(
            code: code, room: founding.room, role: .collector, made: 0, expires: 1, uses: 1)
        offer = try #require(
            JoinOffer(invite, for: joiner.key, founding: founding.bytes, name: "clinic"))
    }

    private let name = OperationName(batch: BatchID(.zero), index: 0)

    /// Both machines and the events that bring each through a whole exchange.
    private struct Course {
        var joiner: JoinJoiner
        var inviter: JoinInviter
        var toJoiner: [JoinJoiner.Event] = []
        var toInviter: [JoinInviter.Event] = []
    }

    private func course() throws -> Course {
        let scalars = [CPaceScalar.random(), .random()]
        var joining = JoinJoiner(
            code: code, channel: channel, identity: joiner, scalar: scalars[0])
        var inviting = JoinInviter(channel: channel, scalar: scalars[1])
        var course = Course(joiner: joining, inviter: inviting)
        func sent(_ actions: [JoinJoiner.Action]) throws -> JoinMessage {
            for case .send(let message) in actions { return message }
            throw JoinFailure.violation
        }
        func sent(_ actions: [JoinInviter.Action]) throws -> JoinMessage {
            for case .send(let message) in actions { return message }
            throw JoinFailure.violation
        }
        let start = try sent(joining.handle(.connected))
        _ = inviting.handle(.received(start))
        let reply = try sent(inviting.handle(.opened(offer)))
        let proof = try sent(joining.handle(.received(reply)))
        let welcome = try sent(inviting.handle(.received(proof)))
        _ = joining.handle(.received(welcome))
        let none = CoveredHeads(control: [], records: [])
        let accept = try sent(joining.handle(.joiningCommitted(none)))
        course.toJoiner = [
            .connected, .received(reply), .received(welcome), .joiningCommitted(none), .granted,
        ]
        course.toInviter = [
            .received(start), .opened(offer), .received(proof), .received(accept), .useRecorded,
            .grantCommitted(name),
        ]
        return course
    }

    private var otherJoinerEvents: [JoinJoiner.Event] {
        [
            .closed, .deadlinePassed, .storageFailed, .declined(.violation),
            .received(.refused(.noInvite)),
        ]
    }

    private var otherInviterEvents: [JoinInviter.Event] {
        [
            .closed, .deadlinePassed, .storageFailed, .notOpened(.busy),
            .attemptRecorded(left: 3), .inviteGone, .received(.refused(.violation)),
        ]
    }

    @Test func `whatever comes out of turn ends the joiner, and it joins nothing`() throws {
        let course = try course()
        for place in 0...course.toJoiner.count {
            let events =
                course.toJoiner + otherJoinerEvents
                + course.toInviter.compactMap {
                    if case .received(let message) = $0 { .received(message) } else { nil }
                }
            for event in events where course.toJoiner.dropFirst(place).first != event {
                var joiner = course.joiner
                for earlier in course.toJoiner.prefix(place) { _ = joiner.handle(earlier) }
                let wasFinished = joiner.isFinished
                var actions = joiner.handle(event)
                #expect(wasFinished == actions.isEmpty || place == 3)
                // What storage still owes comes in afterwards.
                actions += joiner.handle(.joiningCommitted(offer.heads))
                #expect(joiner.isFinished)
                #expect(!actions.contains(.finish(.joined(offer.room))))
                let ends = actions.filter { JoinPlay.label($0) == "finish" }
                #expect(ends.count == (wasFinished ? 0 : 1))
            }
        }
    }

    @Test func `whatever comes out of turn ends the inviter, which gives its invite back`() throws {
        let course = try course()
        for place in 0...course.toInviter.count {
            let events =
                course.toInviter + otherInviterEvents
                + course.toJoiner.compactMap {
                    if case .received(let message) = $0 { .received(message) } else { nil }
                }
            for event in events where course.toInviter.dropFirst(place).first != event {
                if place == 1, JoinPlay.label(event) == "notOpened" { continue }
                var inviter = course.inviter
                var actions: [JoinInviter.Action] = []
                for earlier in course.toInviter.prefix(place) { actions += inviter.handle(earlier) }
                let before = actions.count
                let wasFinished = inviter.isFinished
                actions += inviter.handle(event)
                if wasFinished { #expect(actions.count == before) }
                // What storage still owes comes in afterwards, in the order of its asking.
                if place == 1, event != .storageFailed { actions += inviter.handle(.opened(offer)) }
                if !inviter.isFinished { actions += inviter.handle(.useRecorded) }
                if !inviter.isFinished { actions += inviter.handle(.grantCommitted(name)) }
                #expect(inviter.isFinished)
                let labels = actions.map(JoinPlay.label)
                #expect(labels.filter { $0 == "finish" }.count == 1)
                let isHeld = place > 1 || (place == 1 && event != .storageFailed)
                #expect(labels.filter { $0 == "close" }.count == (isHeld ? 1 : 0))
                if place < 4 { #expect(!labels.contains(request)) }
                if place < course.toInviter.count {
                    #expect(!labels.contains("sendControlLogs"))
                }
            }
        }
    }

    @Test func `a joiner that goes away while its grant is written still gets it`() throws {
        let course = try course()
        for event in [JoinInviter.Event.closed, .deadlinePassed] {
            var inviter = course.inviter
            for earlier in course.toInviter.prefix(4) { _ = inviter.handle(earlier) }
            _ = inviter.handle(event)
            let asked = inviter.handle(.useRecorded)
            #expect(asked.map(JoinPlay.label) == [request])
            let last = inviter.handle(.grantCommitted(name))
            #expect(
                last == [
                    .recordGrant(name, code.selector), .close(code.selector),
                    .finish(.granted(name)),
                ])
        }
    }

    @Test func `a joiner whose answer does not come stays waiting`() throws {
        let course = try course()
        for event in [JoinJoiner.Event.closed, .deadlinePassed] {
            var joiner = course.joiner
            for earlier in course.toJoiner.prefix(4) { _ = joiner.handle(earlier) }
            let actions = joiner.handle(event)
            #expect(actions == [.finish(.waiting(offer.room))])
        }
    }

    @Test func `no series of events makes a grant without an accepted proof`() throws {
        let seed = TestSeed.printed()
        var random = SeededRandom(seed: seed)
        for _ in 0..<150 {
            let course = try course()
            // Of another exchange: right in form, wrong in every secret.
            let foreign = try self.course()
            var inviter = course.inviter
            var joiner = course.joiner
            var actions: [JoinInviter.Action] = []
            var joinerActions: [JoinJoiner.Action] = []
            for _ in 0..<12 {
                let events = course.toInviter.prefix(3) + foreign.toInviter + otherInviterEvents
                if let event = events.randomElement(using: &random) {
                    actions += inviter.handle(event)
                }
                let others = course.toJoiner.prefix(2) + foreign.toJoiner.dropFirst()
                if let event = (others + otherJoinerEvents).randomElement(using: &random) {
                    joinerActions += joiner.handle(event)
                }
            }
            let labels = actions.map(JoinPlay.label)
            #expect(
                !labels.contains(request) && !labels.contains("sendControlLogs"), "seed \(seed)")
            #expect(labels.filter { $0 == "finish" }.count <= 1)
            #expect(!joinerActions.map(JoinPlay.label).contains("commitJoining"))
        }
    }
}

extension JoinOffer {
    fileprivate var room: RoomID { TestBatches.founding(by: TestBatches.identity(1)).room }
    fileprivate var heads: CoveredHeads { CoveredHeads(control: [], records: []) }
}
