import ShareCore
import ShareCrypto
import Testing

/// Joining an open room, both sides as values.
@Suite struct OpenExchangeTests {
    private let inviter = TestBatches.identity(1)
    private let joiner = TestBatches.identity(2)
    private let founding = TestBatches.founding(by: TestBatches.identity(1))
    private let grant = OperationName(batch: BatchID(Hash.digest([3])), index: 0)
    private let none = CoveredHeads(control: [], records: [])

    private func channel() throws -> JoinChannel {
        try JoinChannel(exporter: JoinPlay.exporter, joiner: joiner.key, inviter: inviter.key)
    }

    private func offer(admits: Bool = true) -> OpenOffer {
        OpenOffer(
            room: founding.room, founding: founding.bytes, name: "clinic", admits: admits)
    }

    private func asking(expecting: RoomID? = nil) throws -> OpenJoiner {
        OpenJoiner(
            wanted: "clinic", channel: try channel(), identity: joiner, expecting: expecting)
    }

    /// The acceptance that the joiner sends in a whole exchange, with these heads.
    private func acceptance(_ heads: CoveredHeads) throws -> [UInt8] {
        var machine = try asking()
        _ = machine.handle(.connected)
        _ = machine.handle(.received(.offer(offer())))
        _ = machine.handle(.taken)
        for case .send(.enter(_, let bytes)) in machine.handle(.joiningCommitted(heads)) {
            return bytes
        }
        throw JoinFailure.violation
    }

    /// What brings each side through a whole exchange.
    private var toJoiner: [OpenJoiner.Event] {
        [
            .connected, .received(.offer(offer())), .taken, .joiningCommitted(none), .granted,
        ]
    }

    private func toInviter() throws -> [OpenInviter.Event] {
        [
            .received(.ask("clinic")), .found(offer()),
            .received(.enter(founding.room, acceptance: try acceptance(none))), .admitted(grant),
        ]
    }

    @Test func `the exchange goes in the order of the protocol`() throws {
        var asking = try self.asking()
        var open = OpenInviter(channel: try channel())
        #expect(
            asking.handle(.connected)
                == [.setDeadline(JoinLimits.exchange), .send(.ask("clinic"))])
        #expect(
            open.handle(.received(.ask("clinic")))
                == [.setDeadline(JoinLimits.exchange), .look("clinic")])
        #expect(open.handle(.found(offer())) == [.send(.offer(offer()))])
        #expect(asking.handle(.received(.offer(offer()))) == [.consider(offer())])
        #expect(asking.handle(.taken) == [.commitJoining(offer().welcome)])
        let heads = CoveredHeads(
            control: [LogHead(number: 4, batch: grant.batch)],
            records: [LogHead(number: 9, batch: grant.batch)])
        let entering = asking.handle(.joiningCommitted(heads))
        guard case .send(let message)? = entering.first else {
            Issue.record("it enters")
            return
        }
        #expect(entering.dropFirst() == [.expectControlLogs(founding.room)])
        guard case .admit(let request)? = open.handle(.received(message)).first else {
            Issue.record("it is admitted")
            return
        }
        #expect(request.subject == joiner.key && request.role == .collector)
        #expect(request.firstControl == 5 && request.firstRecords == 10)
        #expect(
            open.handle(.admitted(grant))
                == [.sendControlLogs(founding.room), .finish(.granted(grant))])
        #expect(asking.handle(.granted) == [.finish(.joined(founding.room))])
    }

    @Test func `nothing is granted before the joiner has written down that it joins`() throws {
        // Whatever the joiner's machine does before `joiningCommitted`, it sends no acceptance.
        var asking = try self.asking()
        for event in toJoiner.prefix(3) {
            for action in asking.handle(event) {
                if case .send(.enter) = action { Issue.record("too early after \(event)") }
            }
        }
        // And without an acceptance that is signed for this room the other side grants nothing.
        var other = try acceptance(none)
        other[other.count - 1] ^= 1
        for (room, bytes) in [
            (founding.room, other), (founding.room, []),
            (RoomID(Hash.digest([8])), try acceptance(none)),
        ] {
            var open = OpenInviter(channel: try channel())
            _ = open.handle(.received(.ask("clinic")))
            _ = open.handle(.found(offer()))
            let actions = open.handle(.received(.enter(room, acceptance: bytes)))
            #expect(
                actions == [.send(.refused(.violation)), .finish(.refused(.violation))])
        }
    }

    @Test func `an acceptance for one inviter is none for another`() throws {
        let bytes = try acceptance(none)
        let elsewhere = try JoinChannel(
            exporter: JoinPlay.exporter, joiner: joiner.key, inviter: TestBatches.identity(3).key)
        var open = OpenInviter(channel: elsewhere)
        _ = open.handle(.received(.ask("clinic")))
        _ = open.handle(.found(offer()))
        let actions = open.handle(.received(.enter(founding.room, acceptance: bytes)))
        #expect(actions.last == .finish(.refused(.violation)))
    }

    @Test func `an offer that is not the founding of its room, or another room, is not taken`()
        throws
    {
        let other = TestBatches.founding(by: TestBatches.identity(4))
        let forged = OpenOffer(
            room: founding.room, founding: other.bytes, name: "clinic", admits: true)
        var asking = try self.asking()
        _ = asking.handle(.connected)
        #expect(asking.handle(.received(.offer(forged))).last == .finish(.failed(.notARoom)))
        asking = try self.asking(expecting: other.room)
        _ = asking.handle(.connected)
        #expect(
            asking.handle(.received(.offer(offer()))).last
                == .finish(.failed(.otherRoom(founding.room, "clinic"))))
    }

    @Test func `where nobody may admit the joiner waits, and sends no acceptance`() throws {
        var asking = try self.asking()
        _ = asking.handle(.connected)
        _ = asking.handle(.received(.offer(offer(admits: false))))
        _ = asking.handle(.taken)
        #expect(
            asking.handle(.joiningCommitted(none)) == [
                .expectControlLogs(founding.room), .send(.refused(.unavailable)),
                .finish(.waiting(founding.room)),
            ])
    }

    @Test(arguments: [
        JoinRefusal.tooMany(seconds: 42), .unavailable, .notOpen, .removed, .violation, .noInvite,
    ])
    func `a refusal for now leaves the joiner waiting, one for good ends it`(
        refusal: JoinRefusal
    ) throws {
        var asking = try self.asking()
        for event in toJoiner.prefix(4) { _ = asking.handle(event) }
        let waits = [JoinRefusal.tooMany(seconds: 42), .unavailable].contains(refusal)
        #expect(
            asking.handle(.received(.refused(refusal))) == [
                .finish(waits ? .waiting(founding.room) : .failed(.refused(refusal)))
            ])
    }

    @Test func `whatever comes out of turn ends the joiner, and it joins nothing`() throws {
        let others: [OpenJoiner.Event] = [
            .received(.ask("clinic")), .received(.reply(CPaceShare(.zero))), .declined(.violation),
            .storageFailed, .closed, .deadlinePassed, .received(.refused(.notOpen)),
        ]
        for place in 0...toJoiner.count {
            for event in toJoiner + others where toJoiner.dropFirst(place).first != event {
                var asking = try self.asking()
                for earlier in toJoiner.prefix(place) { _ = asking.handle(earlier) }
                let wasFinished = asking.isFinished
                var actions = asking.handle(event)
                // What storage still owes comes in afterwards.
                actions += asking.handle(.joiningCommitted(none))
                #expect(asking.isFinished, "\(event) at \(place)")
                #expect(!actions.contains(.finish(.joined(founding.room))))
                let ends = actions.count { if case .finish = $0 { true } else { false } }
                #expect(ends == (wasFinished ? 0 : 1))
            }
        }
    }

    @Test func `whatever comes out of turn ends the inviter`() throws {
        let turns = try toInviter()
        let others: [OpenInviter.Event] = [
            .notAdmitted(.removed), .closed, .deadlinePassed,
            .received(.refused(.unavailable)), .received(.offer(offer())),
        ]
        for place in 0...turns.count {
            for event in turns + others where turns.dropFirst(place).first != event {
                if place == 3, event == .notAdmitted(.removed) { continue }
                var open = OpenInviter(channel: try channel())
                for earlier in turns.prefix(place) { _ = open.handle(earlier) }
                let wasFinished = open.isFinished
                var actions = open.handle(event)
                // What is owed to it comes in afterwards, in the order of its asking.
                if !open.isFinished {
                    actions += open.handle(place == 1 ? .found(offer()) : .admitted(grant))
                }
                #expect(open.isFinished, "\(event) at \(place)")
                let ends = actions.count { if case .finish = $0 { true } else { false } }
                #expect(ends == (wasFinished ? 0 : 1))
                #expect(!actions.contains(.sendControlLogs(founding.room)))
                if place < 3 {
                    #expect(!actions.contains { if case .admit = $0 { true } else { false } })
                }
            }
        }
    }
}
