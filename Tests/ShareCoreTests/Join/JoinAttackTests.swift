import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct JoinAttackTests {
    private struct NothingSent: Error {}

    let joiner = TestBatches.identity(2)
    let inviter = TestBatches.identity(1)
    let attacker = TestBatches.identity(66)
    let code: JoinCode
    let invite: Invite
    let founding: Batch

    init() throws {
        code = try JoinCode(typed: "K7QX-93MP")
        founding = TestBatches.founding(by: TestBatches.identity(1))
        invite = Invite(
            code: code, room: founding.room, role: .collector, made: 0, expires: 1_000, uses: 1)
    }

    private func channel(
        _ joiner: DeviceIdentity, _ inviter: DeviceIdentity, exporter: UInt8 = 1
    ) throws -> JoinChannel {
        try JoinChannel(
            exporter: Bytes32([UInt8](repeating: exporter, count: 32)) ?? .zero,
            joiner: joiner.key, inviter: inviter.key)
    }

    private func offer(_ key: DeviceKey, founding bytes: [UInt8]? = nil) throws -> JoinOffer {
        try #require(
            JoinOffer(invite, for: key, founding: bytes ?? founding.bytes, name: "clinic"))
    }

    private func sent(_ actions: [JoinJoiner.Action]) throws -> JoinMessage {
        for case .send(let message) in actions { return message }
        throw NothingSent()
    }

    private func sent(_ actions: [JoinInviter.Action]) throws -> JoinMessage {
        for case .send(let message) in actions { return message }
        throw NothingSent()
    }

    /// Carries an exchange as far as the inviter's check of the proof and returns what it does.
    private func proofResult(_ left: JoinChannel, _ right: JoinChannel) throws
        -> [JoinInviter.Action]
    {
        var joining = JoinJoiner(
            code: code, channel: left, identity: joiner, scalar: .random())
        var inviting = JoinInviter(channel: right, scalar: .random())
        _ = inviting.handle(.received(try sent(joining.handle(.connected))))
        let reply = try sent(inviting.handle(.opened(try offer(right.joiner))))
        let proof = try sent(joining.handle(.received(reply)))
        return inviting.handle(.received(proof))
    }

    @Test func `a man in the middle who passes everything on fails at the first proof`() throws {
        let honest = try proofResult(channel(joiner, inviter), channel(joiner, inviter))
        #expect(try JoinPlay.label(sent(honest)) == "welcome")
        let between = try proofResult(channel(joiner, attacker), channel(attacker, inviter))
        #expect(between == [.recordFailedAttempt(code.selector)])
        let sameKeys = try proofResult(
            channel(joiner, inviter), channel(joiner, inviter, exporter: 2))
        #expect(sameKeys == [.recordFailedAttempt(code.selector)])
    }

    @Test func `an inviter who does not know the code learns no more than one guess`() throws {
        var joining = JoinJoiner(
            code: code, channel: try channel(joiner, attacker), identity: joiner,
            scalar: .random())
        var other = JoinInviter(channel: try channel(joiner, attacker), scalar: .random())
        let wrong = Invite(
            code: try JoinCode(typed: "K7ZZZZZZ"), room: founding.room, role: .owner, made: 0,
            expires: 1_000, uses: 1)
        _ = other.handle(.received(try sent(joining.handle(.connected))))
        let offer = try #require(
            JoinOffer(wrong, for: joiner.key, founding: founding.bytes, name: "x"))
        let reply = try sent(other.handle(.opened(offer)))
        let proof = try sent(joining.handle(.received(reply)))
        guard case .proof(let tag) = proof else {
            Issue.record("a reply is answered by a proof")
            return
        }
        let answer = joining.handle(.received(.welcome(tag, sealed: [UInt8](0..<80))))
        #expect(answer == [.send(.refused(.violation)), .finish(.failed(.unproven))])
    }

    @Test func `a recorded exchange cannot be played again`() throws {
        let play = JoinPlay()
        let code = try play.invite()
        _ = try play.exchange(code)
        let old = play.messages
        let channel = try JoinChannel(
            exporter: JoinPlay.exporter, joiner: joiner.key, inviter: inviter.key)
        var inviting = JoinInviter(channel: channel, scalar: .random())
        _ = inviting.handle(.received(old[0]))
        guard
            case .invite(let invite) = play.book.open(
                code.selector, for: joiner.key, now: play.now)
        else {
            Issue.record("the invite goes on answering its user")
            return
        }
        let offer = try #require(
            JoinOffer(invite, for: joiner.key, founding: founding.bytes, name: "x"))
        _ = inviting.handle(.opened(offer))
        let answer = inviting.handle(.received(old[2]))
        #expect(answer == [.recordFailedAttempt(code.selector)])
        // And in a running exchange, an old last message.
        var seen = 0
        let fresh = try JoinPlay.fresh { message in
            defer { seen += 1 }
            return seen == 4 ? old[4] : message
        }
        #expect(fresh.ending.inviter == .refused(.violation))
        #expect(fresh.play.grants.isEmpty)
    }

    @Test func `a room that its founding batch does not make is not joined`() throws {
        let other = TestBatches.founding(by: attacker)
        let puts = TestBatches.puts(3, after: founding, by: inviter)
        var damaged = founding.bytes
        damaged[damaged.count - 1] ^= 1
        for bytes in [other.bytes, puts.bytes, damaged, [], [0]] {
            var joining = JoinJoiner(
                code: code, channel: try channel(joiner, inviter), identity: joiner,
                scalar: .random())
            var inviting = JoinInviter(channel: try channel(joiner, inviter), scalar: .random())
            _ = inviting.handle(.received(try sent(joining.handle(.connected))))
            let offer = try offer(joiner.key, founding: bytes)
            let reply = try sent(inviting.handle(.opened(offer)))
            let proof = try sent(joining.handle(.received(reply)))
            let welcome = try sent(inviting.handle(.received(proof)))
            let answer = joining.handle(.received(welcome))
            #expect(answer == [.send(.refused(.violation)), .finish(.failed(.notARoom))])
        }
    }

    @Test func `a founding batch or a name that no message can hold makes no offer`() {
        let long = [UInt8](repeating: 0, count: JoinLimits.foundingBatch + 1)
        #expect(JoinOffer(invite, for: joiner.key, founding: long, name: "x") == nil)
        let name = String(repeating: "x", count: 64)
        #expect(JoinOffer(invite, for: joiner.key, founding: [1], name: name) == nil)
    }

    @Test func `the longest offer fits in a message`() throws {
        let most = [UInt8](repeating: 0, count: JoinLimits.foundingBatch)
        let name = String(repeating: "x", count: 63)
        var inviting = JoinInviter(channel: try channel(joiner, inviter), scalar: .random())
        var joining = JoinJoiner(
            code: code, channel: try channel(joiner, inviter), identity: joiner,
            scalar: .random())
        _ = inviting.handle(.received(try sent(joining.handle(.connected))))
        let offer = try #require(JoinOffer(invite, for: joiner.key, founding: most, name: name))
        let reply = try sent(inviting.handle(.opened(offer)))
        let proof = try sent(joining.handle(.received(reply)))
        let welcome = try sent(inviting.handle(.received(proof)))
        #expect(welcome.encoded.count <= JoinLimits.message)
        #expect(throws: Never.self) { try JoinMessage(encoded: welcome.encoded) }
    }

    @Test func `a device does not join itself`() {
        #expect(throws: JoinRefusal.ownKey) { try channel(joiner, joiner) }
    }

    @Test func `shares that are no element, or the neutral one, end the exchange`() throws {
        for byte in [0, 0xff] as [UInt8] {
            let share = try #require(CPaceShare([UInt8](repeating: byte, count: 32)))
            var inviting = JoinInviter(channel: try channel(joiner, inviter), scalar: .random())
            _ = inviting.handle(.received(.start(code.selector, share)))
            let refusal = inviting.handle(.opened(try offer(joiner.key)))
            #expect(
                refusal == [
                    .close(code.selector), .send(.refused(.violation)),
                    .finish(.refused(.violation)),
                ])
            var joining = JoinJoiner(
                code: code, channel: try channel(joiner, inviter), identity: joiner,
                scalar: .random())
            _ = joining.handle(.connected)
            let ending = joining.handle(.received(.reply(share)))
            #expect(
                ending == [
                    .send(.refused(.violation)), .finish(.failed(.violation)),
                ])
        }
    }
}

extension JoinPlay {
    /// An exchange from scratch under the right code.
    static func fresh(
        change: (JoinMessage) -> JoinMessage?
    ) throws -> (play: JoinPlay, ending: Ending) {
        let play = JoinPlay()
        let code = try play.invite()
        let ending = try play.exchange(code, change: change)
        return (play, ending)
    }
}
