import ShareCrypto
import Testing

@testable import ShareCore

/// Joiners that know the code and yet do not keep to the protocol.
@Suite struct JoinAcceptanceTests {
    let joiner = TestBatches.identity(2)
    let inviter = TestBatches.identity(1)

    /// What the inviter does with an acceptance that `make` makes under the right key.
    private func answer(
        _ make: (JoinChannel, RoomID) -> JoinAcceptance
    ) throws -> [JoinInviter.Action] {
        let founding = TestBatches.founding(by: inviter)
        let channel = try JoinChannel(
            exporter: JoinPlay.exporter, joiner: joiner.key, inviter: inviter.key)
        let code = try JoinCode(typed: "K7QX93MP")
        let invite = Invite(
            code: code, room: founding.room, role: .collector, made: 0, expires: 1, uses: 1)
        let offer = try #require(
            JoinOffer(invite, for: joiner.key, founding: founding.bytes, name: "clinic"))
        let cpace = try channel.cpace(
            .initiator, selector: code.selector, secret: code.secret, scalar: .random())
        var inviting = JoinInviter(channel: channel, scalar: .random())
        _ = inviting.handle(.received(.start(code.selector, cpace.share)))
        guard case .send(.reply(let share))? = inviting.handle(.opened(offer)).first else {
            Issue.record("no reply")
            return []
        }
        let key = try cpace.key(
            with: share, associated: JoinChannel.associated(.responder, code.selector))
        _ = inviting.handle(.received(.proof(key.tag(of: .initiator))))
        let sealed = key.seal(
            make(channel, founding.room).encoded, label: JoinChannel.acceptLabel)
        return inviting.handle(.received(.accept(sealed: sealed)))
    }

    private let none = CoveredHeads(control: [], records: [])

    @Test func `an acceptance signed by the joiner over this room and inviter is taken`() throws {
        let actions = try answer { channel, room in
            JoinAcceptance(heads: none, signature: joiner.sign(channel.acceptance(of: room)))
        }
        #expect(actions.map(JoinPlay.label) == ["recordUse"])
    }

    @Test func `an acceptance signed otherwise is refused`() throws {
        let other = TestBatches.identity(3)
        let makers: [(JoinChannel, RoomID) -> [UInt8]] = [
            { other.sign($0.acceptance(of: $1)) },
            { channel, _ in joiner.sign(channel.acceptance(of: RoomID(Hash.digest([1])))) },
            { _, room in joiner.sign(room.bytes) },
            { _, _ in [UInt8](repeating: 0, count: 64) },
            { channel, room in
                let elsewhere = try? JoinChannel(
                    exporter: channel.exporter, joiner: joiner.key, inviter: other.key)
                return joiner.sign(elsewhere?.acceptance(of: room) ?? [])
            },
        ]
        for make in makers {
            let actions = try answer {
                JoinAcceptance(heads: none, signature: make($0, $1))
            }
            #expect(actions.map(JoinPlay.label) == ["close", "send", "finish"])
            #expect(actions.last == .finish(.refused(.violation)))
        }
    }

    @Test(arguments: [1, 7, Limits.largestNumber - 1, Limits.largestNumber])
    func `a head with any number that a batch can have is taken`(number: UInt64) throws {
        let heads = CoveredHeads(
            control: [LogHead(number: number, batch: BatchID(Hash.digest([1])))], records: [])
        let read = try JoinAcceptance(
            encoded:
                JoinAcceptance(heads: heads, signature: [UInt8](repeating: 1, count: 64)).encoded)
        #expect(read.heads == heads)
        let request = JoinGrantRequest(
            room: RoomID(Hash.digest([2])), subject: joiner.key, role: .viewer, heads: heads)
        #expect(request.firstControl == min(number + 1, Limits.largestNumber))
        #expect(request.firstRecords == 1)
    }

    @Test(arguments: [0, Limits.largestNumber + 1, .max])
    func `a head with another number is refused`(number: UInt64) throws {
        let heads = CoveredHeads(
            control: [], records: [LogHead(number: number, batch: BatchID(Hash.digest([1])))])
        let bytes = JoinAcceptance(
            heads: heads, signature: [UInt8](repeating: 1, count: 64)
        ).encoded
        #expect(throws: CBORError.outOfRange) { try JoinAcceptance(encoded: bytes) }
    }
}
